import { writeSync } from 'node:fs';
import { AttestRecord } from '../../dist/record/attest-record.js';

// A program that a test kills: it adds entries without end, and prints the id of each that was recorded, as a signature
// leaves only then.
const record = await AttestRecord.open(process.argv[2] ?? '');
for (let number = record.size + 1; ; number += 1) {
  const id = `0x${number.toString(16).padStart(64, '0')}` as const;
  const transfer = { chainId: 1, transactionHash: id, callIndex: 0 };
  const payment = { kind: 'DELIVERY', id, transfer, terms: id, side: 'partner', asset: 'ETH', amount: 1n } as const;
  await record.add([{ type: 'SIGNED', ...payment, validUntil: 9n, proof: 'RECEIPT', signedAtMs: 1 }]);
  writeSync(1, `${id}\n`);
}
