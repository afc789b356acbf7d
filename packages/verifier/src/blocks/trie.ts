import { fromRlp, hexToBytes, keccak256, size, toRlp, type Hex } from 'viem';
import { toRlpInteger, type Rlp } from './rlp.js';

/** The root of an empty trie. */
export const EMPTY_ROOT: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
/** A node with fewer bytes is embedded in its parent instead of referenced by hash. */
const HASHED_BYTES = 32;

/** The Merkle path of an item: the RLP of each hashed node from the root to the item. */
export type MerklePath = readonly Hex[];

/** A path does not lead from its root to an item. */
export class BadProofError extends Error {
  override readonly name = 'BadProofError';
}

/** The trie of a block's items, each under the RLP of its index (Yellow Paper 4.4.1 and appendix D). */
export interface IndexTrie {
  readonly root: Hex;
  /** The path of the item with this index. */
  readonly findPath: (index: number) => MerklePath;
}

interface Entry {
  readonly nibbles: string;
  readonly value: Hex;
}

/** Builds the trie of all items of a block. A node is a list of 2 (leaf, extension) or 17 (branch) elements. */
export function buildIndexTrie(items: readonly Hex[]): IndexTrie {
  if (items.length === 0) return { root: EMPTY_ROOT, findPath: () => [] };
  const entries = items.map((value, index) => ({ nibbles: toNibbles(index), value }));
  const encoded = new Map<Hex, Hex>();
  const refer = (node: Rlp): Rlp => {
    const bytes = toRlp(node as Hex[]);
    if (size(bytes) < HASHED_BYTES) return node;
    const hash = keccak256(bytes);
    encoded.set(hash, bytes);
    return hash;
  };
  const top = toRlp(buildNode(entries, 0, refer) as Hex[]);
  const root = keccak256(top);
  encoded.set(root, top);
  return { root, findPath: (index) => collectPath(root, toNibbles(index), encoded) };
}

/**
 * Verifies that a root commits to an item. Pure.
 *
 * @returns the item.
 * @throws BadProofError
 */
export function verifyReceiptProof(root: Hex, index: number, path: MerklePath): Hex {
  const nibbles = toNibbles(index);
  let used = 0;
  const next = (hash: Hex): Uint8Array => {
    const text = path[used];
    used += 1;
    if (text === undefined) throw new BadProofError('the path ends too early');
    const node = hexToBytes(text);
    if (keccak256(node) !== hash) throw new BadProofError(`node ${used} of the path does not have its hash`);
    return node;
  };
  const item = walk(root, nibbles, next);
  if (used !== path.length) throw new BadProofError('the path goes on after the item');
  if (item === null) throw new BadProofError('the trie has no item under this index');
  return item;
}

/**
 * Verifies what the trie of a root, whose keys are hashed, holds under a key: the state, or the storage of an account
 * (Yellow Paper 4.1). Pure. The nodes can have any order, since some clients send more than the path.
 *
 * @returns the item; null if the trie has none.
 * @throws BadProofError
 */
export function verifyStateProof(root: Hex, key: Hex, nodes: readonly Hex[]): Hex | null {
  if (root === EMPTY_ROOT) return null;
  const byHash = new Map(nodes.map((text) => [keccak256(text), text]));
  return walk(root, keccak256(key).slice(2), (hash) => {
    const node = byHash.get(hash);
    if (node === undefined) throw new BadProofError(`the proof lacks the node ${hash}`);
    return hexToBytes(node);
  });
}

/** Walks from the root to the item under a key; null if the trie has none. `resolve` returns the node of a hash. */
function walk(root: Hex, key: string, resolve: (hash: Hex) => Uint8Array): Hex | null {
  let node = decodeNode(resolve(root));
  let left = key;
  for (;;) {
    let child: Rlp | undefined;
    if (node.length === 17) {
      child = node[Number.parseInt(left.slice(0, 1), 16)];
      left = left.slice(1);
    } else {
      const [isLeaf, prefix] = readPrefix(node[0]);
      if (!left.startsWith(prefix)) return null;
      left = left.slice(prefix.length);
      if (isLeaf) {
        if (typeof node[1] !== 'string') throw new BadProofError('an item of the trie is not bytes');
        return left === '' ? node[1] : null;
      }
      child = node[1];
    }
    if (child === '0x') return null;
    if (child === undefined || child.length === 0)
      throw new BadProofError('the path leads beyond the keys of the trie');
    node = typeof child === 'string' ? decodeNode(resolve(child)) : child;
  }
}

function decodeNode(bytes: Uint8Array): readonly Rlp[] {
  let node: Rlp;
  try {
    node = fromRlp(bytes, 'hex');
  } catch (cause) {
    throw new BadProofError('a node of the path is not RLP', { cause });
  }
  if (typeof node === 'string' || (node.length !== 2 && node.length !== 17))
    throw new BadProofError('a node of the path is neither a branch nor a leaf');
  return node;
}

function collectPath(root: Hex, key: string, encoded: ReadonlyMap<Hex, Hex>): MerklePath {
  const path: Hex[] = [];
  const item = walk(root, key, (hash) => {
    const bytes = encoded.get(hash) ?? '0x';
    path.push(bytes);
    return hexToBytes(bytes);
  });
  if (item === null) throw new BadProofError('the trie has no item under this index');
  return path;
}

/**
 * Builds the node over entries that share `depth` nibbles. No key is a prefix of another, so branches hold no values.
 */
function buildNode(entries: readonly Entry[], depth: number, refer: (node: Rlp) => Rlp): Rlp {
  const [first] = entries;
  if (first === undefined) return '0x';
  if (entries.length === 1) return [writePrefix(first.nibbles.slice(depth), true), first.value];
  const shared = countShared(entries, depth);
  if (shared > 0) {
    const below = refer(buildNode(entries, depth + shared, refer));
    return [writePrefix(first.nibbles.slice(depth, depth + shared), false), below];
  }
  const children = Array.from({ length: 16 }, (): Entry[] => []);
  for (const entry of entries) children[Number.parseInt(entry.nibbles.slice(depth, depth + 1), 16)]?.push(entry);
  return [...children.map((group) => (group.length === 0 ? '0x' : refer(buildNode(group, depth + 1, refer)))), '0x'];
}

function countShared(entries: readonly Entry[], depth: number): number {
  const [first, ...rest] = entries;
  const nibbles = first?.nibbles.slice(depth) ?? '';
  let shared = nibbles.length;
  for (const entry of rest) while (!entry.nibbles.startsWith(nibbles.slice(0, shared), depth)) shared -= 1;
  return shared;
}

function toNibbles(index: number): string {
  return toRlp(toRlpInteger(BigInt(index))).slice(2);
}

/** Hex-prefix encoding (Yellow Paper, appendix C): the flag is 2 for a leaf, plus 1 for an odd length. */
function writePrefix(nibbles: string, isLeaf: boolean): Hex {
  const flag = isLeaf ? 2 : 0;
  return nibbles.length % 2 === 0 ? `0x${flag}0${nibbles}` : `0x${flag + 1}${nibbles}`;
}

function readPrefix(part: Rlp | undefined): readonly [isLeaf: boolean, nibbles: string] {
  const digits = typeof part === 'string' ? part.slice(2) : '';
  const flag = Number.parseInt(digits.slice(0, 1), 16);
  if (!(flag >= 0 && flag <= 3)) throw new BadProofError('a node of the path has an unknown prefix');
  return [flag >= 2, digits.slice(flag % 2 === 0 ? 2 : 1)];
}
