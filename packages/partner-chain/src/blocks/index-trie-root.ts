import { RLP } from '@ethereumjs/rlp';
import { keccak256 } from '../keccak256.js';

type Node = Uint8Array | readonly Node[];
interface Entry {
  readonly path: readonly number[];
  readonly value: Uint8Array;
}

/**
 * Computes the root of the trie that maps each RLP-encoded index to a value: transactions or receipts of a block
 * (Yellow Paper, section 4.4 and appendix D). Building it from sorted entries is far cheaper than one insertion per
 * entry.
 */
export function indexTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  const entries = values.map((value, index) => ({ path: toNibbles(RLP.encode(index)), value }));
  entries.sort((a, b) => comparePaths(a.path, b.path));
  return keccak256(RLP.encode(entries.length === 0 ? new Uint8Array(0) : (buildNode(entries, 0) as never)));
}

/** Builds the node of entries that share their path up to `depth`. */
function buildNode(entries: readonly Entry[], depth: number): Node {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return new Uint8Array(0);
  if (entries.length === 1) return [compactPath(first.path.slice(depth), true), first.value];
  let shared = depth;
  while (shared < first.path.length && first.path[shared] === last.path[shared]) shared += 1;
  if (shared > depth) {
    return [compactPath(first.path.slice(depth, shared), false), referenceTo(buildNode(entries, shared))];
  }
  const children: Node[] = [];
  let from = 0;
  for (let nibble = 0; nibble < 16; nibble += 1) {
    let to = from;
    while (to < entries.length && entries[to]?.path[depth] === nibble) to += 1;
    children.push(from === to ? new Uint8Array(0) : referenceTo(buildNode(entries.slice(from, to), depth + 1)));
    from = to;
  }
  // The RLP of an index is never a prefix of another, so a branch never holds a value.
  return [...children, new Uint8Array(0)];
}

/** A node of less than 32 bytes is embedded in its parent; a longer one is referenced by its hash. */
function referenceTo(node: Node): Node {
  const bytes = RLP.encode(node as never);
  return bytes.length < 32 ? node : keccak256(bytes);
}

/** Hex-prefix encoding (Yellow Paper, appendix C). */
function compactPath(path: readonly number[], isLeaf: boolean): Uint8Array {
  const odd = path.length % 2 === 1;
  const flag = (isLeaf ? 2 : 0) + (odd ? 1 : 0);
  const nibbles = odd ? [flag, ...path] : [flag, 0, ...path];
  const bytes = new Uint8Array(nibbles.length / 2);
  for (let i = 0; i < bytes.length; i += 1) bytes[i] = (nibbles[2 * i] ?? 0) * 16 + (nibbles[2 * i + 1] ?? 0);
  return bytes;
}

function toNibbles(bytes: Uint8Array): number[] {
  return [...bytes].flatMap((byte) => [byte >> 4, byte & 15]);
}

function comparePaths(a: readonly number[], b: readonly number[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i += 1) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}
