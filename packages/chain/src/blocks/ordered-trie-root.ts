import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { bytesToHex, hexToBytes, numberToHex, toRlp, type Hex } from 'viem';
import { rlpInteger } from './rlp-integer.js';

/** The root of a trie that holds items under their RLP-encoded positions (Yellow Paper 4.4.1). */
export async function orderedTrieRoot(items: readonly Hex[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie();
  for (const [index, item] of items.entries()) {
    await trie.put(toRlp(rlpInteger(numberToHex(index)), 'bytes'), hexToBytes(item));
  }
  return bytesToHex(trie.root());
}
