import { bytesToHex, fromRlp, hexToBigInt, keccak256, toRlp, type Hex, concat, hexToBytes } from 'viem';
import type { ChainDatabase } from '../src/db/tables.js';

/** An account in its database row. */
export interface FlatAccount {
  readonly nonce: bigint;
  readonly balance: bigint;
  readonly storageRoot: Hex;
  readonly codeHash: Hex;
  readonly rlp: Hex;
}

/** Reads the accounts of the newest block by address. A row starts with the number of the block that wrote it. */
export function flatAccounts(database: ChainDatabase): Map<Hex, FlatAccount> {
  const accounts = new Map<Hex, FlatAccount>();
  for (const { key, value } of database.accounts.getRange({})) {
    if (value.length === 8) continue; // A deleted account.
    const rlp = bytesToHex(value.subarray(8));
    const [nonce, balance, storageRoot, codeHash] = fromRlp(rlp, 'hex') as [Hex, Hex, Hex, Hex];
    accounts.set(bytesToHex(key), { nonce: quantity(nonce), balance: quantity(balance), storageRoot, codeHash, rlp });
  }
  return accounts;
}

/** Reads the nonzero slots of the newest block by address. */
export function flatSlots(database: ChainDatabase): Map<Hex, Map<Hex, Hex>> {
  const slots = new Map<Hex, Map<Hex, Hex>>();
  for (const { key, value } of database.slots.getRange({})) {
    if (value.length === 8) continue;
    const address = bytesToHex(key.subarray(0, 20));
    const ofAddress = slots.get(address) ?? new Map<Hex, Hex>();
    slots.set(address, ofAddress.set(bytesToHex(key.subarray(20)), bytesToHex(value.subarray(8))));
  }
  return slots;
}

/** Computes the state root with the naive trie: storage roots from the slots, then the accounts. */
export function naiveStateRoot(database: ChainDatabase): Hex {
  const slots = flatSlots(database);
  return naiveTrieRoot(
    [...flatAccounts(database)].map(([address, { nonce, balance, codeHash }]) => {
      const storage = [...(slots.get(address) ?? [])].map(([slot, value]) => [keccak256(slot), toRlp(value)] as const);
      const rlp = toRlp([minimal(nonce), minimal(balance), naiveTrieRoot(storage), codeHash]);
      return [keccak256(address), rlp] as const;
    }),
  );
}

/** Sums all coin in units. */
export function totalCoin(database: ChainDatabase): bigint {
  let total = 0n;
  for (const { balance } of flatAccounts(database).values()) total += balance;
  return total;
}

function quantity(hex: Hex): bigint {
  return hex === '0x' ? 0n : hexToBigInt(hex);
}

/** Encodes a number for RLP: big-endian without leading zeros. */
export function minimal(value: bigint): Hex {
  if (value === 0n) return '0x';
  const digits = value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

type RlpItem = Hex | readonly RlpItem[];
interface Pair {
  /** The key's nibbles. */
  readonly path: string;
  readonly value: Hex;
}

/**
 * Computes the root of a Merkle-Patricia trie directly by the Yellow Paper's appendix D: slow, but obviously correct.
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
  if (shared > depth) return [hexPrefix(first.path.slice(depth, shared), false), buildNode(pairs, shared)];
  const children = Array.from({ length: 16 }, (_, nibble) =>
    buildNode(
      pairs.filter(({ path }) => path[depth] === nibble.toString(16)),
      depth + 1,
    ),
  );
  const own = pairs.find(({ path }) => path.length === depth);
  return [...children, own?.value ?? '0x'];
}

/** n(J, i): a node by its hash, or the node itself if it is short. */
function buildNode(pairs: readonly Pair[], depth: number): RlpItem {
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
