import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, concatBytes } from '@ethereumjs/util';
import type { Receipt } from './receipt.js';

/** A receipt as the receipts trie holds it: EIP-2718's type byte, then RLP of status, gas, bloom and logs (EIP-658). */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const payload = RLP.encode([
    receipt.status === 1 ? Uint8Array.of(1) : new Uint8Array(0),
    bigIntToUnpaddedBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
  ]);
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload);
}
