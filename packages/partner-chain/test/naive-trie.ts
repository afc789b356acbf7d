import { concat, hexToBytes, keccak256, toRlp, type Hex } from 'viem';

type RlpItem = Hex | readonly RlpItem[];
interface Pair {
  /** The key's nibbles. */
  readonly path: string;
  readonly value: Hex;
}

/**
 * The root of a Merkle-Patricia trie, straight from the Yellow Paper's appendix D: slow, and made only to be right.
 */
export function naiveTrieRoot(entries: Iterable<readonly [key: Hex, value: Hex]>): Hex {
  const pairs = [...entries].map(([key, value]): Pair => ({ path: key.slice(2), value }));
  return keccak256(pairs.length === 0 ? toRlp('0x') : toRlp(structure(pairs, 0) as Hex));
}

/** c(J, i): the structural composition. */
function structure(pairs: readonly Pair[], depth: number): RlpItem {
  const [first] = pairs;
  if (first === undefined) throw new Error('no pairs');
  if (pairs.length === 1) return [hexPrefix(first.path.slice(depth), true), first.value];
  let shared = depth;
  while (pairs.every(({ path }) => path.length > shared && path[shared] === first.path[shared])) shared += 1;
  if (shared > depth) return [hexPrefix(first.path.slice(depth, shared), false), nodeOf(pairs, shared)];
  const children = Array.from({ length: 16 }, (_, nibble) =>
    nodeOf(
      pairs.filter(({ path }) => path[depth] === nibble.toString(16)),
      depth + 1,
    ),
  );
  const own = pairs.find(({ path }) => path.length === depth);
  return [...children, own?.value ?? '0x'];
}

/** n(J, i): a node by its hash, or itself when short. */
function nodeOf(pairs: readonly Pair[], depth: number): RlpItem {
  if (pairs.length === 0) return '0x';
  const node = structure(pairs, depth);
  const encoded = toRlp(node as Hex);
  return hexToBytes(encoded).length < 32 ? node : keccak256(encoded);
}

/** HP(x, t) of appendix C. */
function hexPrefix(nibbles: string, isLeaf: boolean): Hex {
  const flag = isLeaf ? 2 : 0;
  return concat([nibbles.length % 2 === 0 ? `0x${flag}0${nibbles}` : `0x${flag + 1}${nibbles}`]);
}
