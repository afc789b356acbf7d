import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { bytesToHex, concatHex, hexToBytes, toRlp, type Hex } from 'viem';
import { rlpInteger } from './header-hash.js';
import type { RpcReceipt } from './rpc-shapes.js';

/** The root of the trie of a block's receipts (Yellow Paper 4.4.1, EIP-2718), in the order of their transactions. */
export async function receiptsRoot(receipts: readonly RpcReceipt[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie();
  for (const [index, receipt] of receipts.entries()) {
    const key = toRlp(index === 0 ? '0x' : rlpInteger(`0x${index.toString(16)}`), 'bytes');
    await trie.put(key, hexToBytes(encodeReceipt(receipt)));
  }
  return bytesToHex(trie.root());
}

function encodeReceipt(receipt: RpcReceipt): Hex {
  const body = toRlp([
    rlpInteger(receipt.status),
    rlpInteger(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, log.topics, log.data]),
  ]);
  const type = BigInt(receipt.type ?? '0x0');
  return type === 0n ? body : concatHex([`0x${type.toString(16).padStart(2, '0')}`, body]);
}
