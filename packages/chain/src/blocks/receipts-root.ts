import { concatHex, numberToHex, toRlp, type Hex } from 'viem';
import { orderedTrieRoot } from './ordered-trie-root.js';
import { rlpInteger } from './rlp-integer.js';
import type { RpcReceipt } from './rpc-shapes.js';

/** The root of the trie of a block's receipts (Yellow Paper 4.4.1, EIP-2718), in the order of their transactions. */
export function receiptsRoot(receipts: readonly RpcReceipt[]): Promise<Hex> {
  return orderedTrieRoot(receipts.map(encodeReceipt));
}

function encodeReceipt(receipt: RpcReceipt): Hex {
  const body = toRlp([
    rlpInteger(receipt.status),
    rlpInteger(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, log.topics, log.data]),
  ]);
  const type = BigInt(receipt.type ?? '0x0');
  return type === 0n ? body : concatHex([numberToHex(type, { size: 1 }), body]);
}
