import { MerklePatriciaTrie } from '@ethereumjs/mpt';
import { bytesToHex, hexToBytes, numberToHex, toRlp, trim, type Hex } from 'viem';

/** Converts a JSON-RPC quantity to an RLP integer: no leading zeros; zero and a missing value are the empty string. */
export function rlpInteger(value: Hex | null | undefined): Hex {
  if (!value) return '0x';
  const trimmed = trim(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`);
  return trimmed === '0x00' ? '0x' : trimmed;
}

/** Computes the root of the trie that maps the RLP-encoded index of each item to the item (Yellow Paper 4.4.1). */
export async function orderedTrieRoot(items: readonly Hex[]): Promise<Hex> {
  const trie = new MerklePatriciaTrie();
  for (const [index, item] of items.entries()) {
    await trie.put(toRlp(rlpInteger(numberToHex(index)), 'bytes'), hexToBytes(item));
  }
  return bytesToHex(trie.root());
}
