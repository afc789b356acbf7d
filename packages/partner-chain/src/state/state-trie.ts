import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { Account, KECCAK256_RLP, unprefixedHexToBytes, equalsBytes } from '@ethereumjs/util';
import { keccak256 } from '../hash/keccak256.js';
import type { ChainDatabase } from '../storage/chain-database.js';
import { encodeAccount } from './account-record.js';
import { NodeBuffer } from './node-buffer.js';
import type { StateReader } from './state-reader.js';
import type { StateChanges } from './world-state.js';

/** What a block's changes come to. */
export interface StateCommit {
  readonly stateRoot: Uint8Array;
  /** Accounts as they stand after the block, storage roots included; `null` for one that is gone. */
  readonly accounts: ReadonlyMap<string, Account | null>;
  /** New trie nodes by hash. */
  readonly nodes: ReadonlyMap<string, Uint8Array>;
}

/**
 * Works a block's changes into the state trie (Yellow Paper, appendix D).
 *
 * @param before the state before the block, of which `stateRoot` is the root.
 */
export async function commitState(
  database: ChainDatabase,
  before: StateReader,
  stateRoot: Uint8Array,
  changes: StateChanges,
): Promise<StateCommit> {
  const nodes = new NodeBuffer(database.nodes);
  const stateTrie = await openTrie(nodes, stateRoot);
  const accounts = new Map<string, Account | null>();
  for (const key of new Set([...changes.accounts.keys(), ...changes.slots.keys()])) {
    const address = unprefixedHexToBytes(key);
    const previous = before.account(address);
    const written = changes.accounts.get(key);
    const account = written === undefined ? previous : written;
    if (account === undefined || account === null) {
      if (previous === undefined) continue; // Came and went within the block.
      await stateTrie.del(address);
      accounts.set(key, null);
      continue;
    }
    const slots = changes.slots.get(key);
    const storageRoot =
      slots === undefined || slots.size === 0
        ? account.storageRoot
        : await writeSlots(nodes, account.storageRoot, slots);
    const record = encodeAccount(new Account(account.nonce, account.balance, storageRoot, account.codeHash));
    if (previous !== undefined && equalsBytes(record, encodeAccount(previous))) continue;
    await stateTrie.put(address, record);
    accounts.set(key, new Account(account.nonce, account.balance, storageRoot, account.codeHash));
  }
  return { stateRoot: stateTrie.root(), accounts, nodes: nodes.written };
}

async function writeSlots(
  nodes: NodeBuffer,
  storageRoot: Uint8Array,
  slots: ReadonlyMap<string, Uint8Array>,
): Promise<Uint8Array> {
  const trie = await openTrie(nodes, storageRoot);
  for (const [slot, value] of slots) {
    const key = unprefixedHexToBytes(slot);
    if (value.length === 0) await trie.del(key);
    else await trie.put(key, RLP.encode(value));
  }
  return trie.root();
}

function openTrie(nodes: NodeBuffer, root: Uint8Array): Promise<MerklePatriciaTrie> {
  const options = { db: nodes, valueEncoding: 'view', useKeyHashing: true, useKeyHashingFunction: keccak256 } as const;
  return equalsBytes(root, KECCAK256_RLP) ? createMPT(options) : createMPT({ ...options, root });
}
