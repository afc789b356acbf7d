import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PlacedLog, Side } from '@causeway/verifier';
import { GeneratedBridge } from '../test/generated-chain.ts';

// A process that generates the logs of both chains, and answers them in parts as a node does: /0/ethereum, /0/partner,
// /1/ethereum, ... It also answers what a ledger asks after a part: /0/facts. Arguments: operations, seed.

/** As the ranges of `readLedger`. */
const LOGS = 1_500;
const [operations, seed] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'verify-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('disconnect', () => process.exit());

let [parts, logs, bytes] = [0, 0, 0];
const bridge = new GeneratedBridge({ operations: operations ?? 0, seed: seed ?? 0 });
let before: { readonly intents: readonly unknown[]; readonly refunds: readonly unknown[] } = {
  intents: [],
  refunds: [],
};
let part: Record<Side, object[]> = { ethereum: [], partner: [] };
for (const block of bridge.blocks()) {
  for (const log of block.logs) part[block.side].push(toAnswer(log, block));
  if (part.ethereum.length + part.partner.length >= LOGS) writePart();
}
writePart();

const server = createServer(({ url = '/' }, response) => {
  response.setHeader('content-type', 'application/json');
  createReadStream(join(folder, url.slice(1).replace('/', '-'))).pipe(response);
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, parts, logs, bytes });
});

function writePart(): void {
  for (const side of ['ethereum', 'partner'] as const) {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 1, result: part[side] });
    writeFileSync(join(folder, `${parts}-${side}`), text);
    logs += part[side].length;
    bytes += text.length;
  }
  // A release can be in the part after its facts.
  const known = { intents: [...bridge.intents], refunds: [...bridge.refunds] };
  const facts = { intents: [...before.intents, ...known.intents], refunds: [...before.refunds, ...known.refunds] };
  writeFileSync(
    join(folder, `${parts}-facts`),
    JSON.stringify(facts, (_, value: unknown) => (typeof value === 'bigint' ? `#${value}` : value)),
  );
  before = known;
  for (const map of [bridge.intents, bridge.payers, bridge.refunds]) map.clear();
  parts += 1;
  part = { ethereum: [], partner: [] };
}

function toAnswer(
  { address, topics, data, blockNumber, transactionHash, logIndex }: PlacedLog,
  block: {
    readonly hash: string;
    readonly timestamp: number;
  },
) {
  const [number, index] = [`0x${blockNumber.toString(16)}`, `0x${logIndex.toString(16)}`];
  const place = { blockNumber: number, blockHash: block.hash, blockTimestamp: `0x${block.timestamp.toString(16)}` };
  return { address, topics, data, ...place, transactionHash, transactionIndex: '0x1', logIndex: index, removed: false };
}
