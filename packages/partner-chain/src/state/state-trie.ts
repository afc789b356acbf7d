import { createMPT, type MerklePatriciaTrie } from '@ethereumjs/mpt';
import { RLP } from '@ethereumjs/rlp';
import { Account, equalsBytes, KECCAK256_RLP, unprefixedHexToBytes, type BatchDBOp, type DB } from '@ethereumjs/util';
import type { ChainDatabase, Table } from '../db/tables.js';
import { keccak256 } from '../keccak256.js';
import { encodeAccount, type StateReader } from './state-reader.js';
import type { StateChanges } from './world-state.js';

/** The result of a block's changes: the new root, and the rows to write. */
export interface StateCommit {
  readonly stateRoot: Uint8Array;
  /** Accounts after the block, including storage roots; `null` for a deleted account. */
  readonly accounts: ReadonlyMap<string, Account | null>;
  /** New trie nodes by hash. */
  readonly nodes: ReadonlyMap<string, Uint8Array>;
}

/**
 * Applies a block's changes to the state trie (Yellow Paper, appendix D).
 *
 * @param before the state before the block, whose root is `stateRoot`.
 * @param yieldIfDue awaited before each account, so that the thread's other work can run.
 */
export async function commitState(
  database: ChainDatabase,
  before: StateReader,
  stateRoot: Uint8Array,
  changes: StateChanges,
  yieldIfDue: () => Promise<void> | undefined = () => undefined,
): Promise<StateCommit> {
  const nodes = new NodeBuffer(database.nodes);
  const stateTrie = await openTrie(nodes, stateRoot);
  const accounts = new Map<string, Account | null>();
  for (const key of new Set([...changes.accounts.keys(), ...changes.slots.keys()])) {
    await yieldIfDue();
    const address = unprefixedHexToBytes(key);
    const previous = before.account(address);
    const written = changes.accounts.get(key);
    const account = written === undefined ? previous : written;
    if (account === undefined || account === null) {
      if (previous === undefined) continue; // Created and deleted within the block.
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

export function openTrie(nodes: NodeBuffer, root: Uint8Array): Promise<MerklePatriciaTrie> {
  const options = { db: nodes, valueEncoding: 'view', useKeyHashing: true, useKeyHashingFunction: keccak256 } as const;
  return equalsBytes(root, KECCAK256_RLP) ? createMPT(options) : createMPT({ ...options, root });
}

/** The store behind EthereumJS's trie. Reads fall through to the database; writes wait for the block's commit. */
export class NodeBuffer implements DB<string, string | Uint8Array> {
  /** New nodes by hash, in hex without prefix. */
  readonly written = new Map<string, Uint8Array>();

  constructor(private readonly table: Table) {}

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous, the database is not
  async get(key: string): Promise<Uint8Array | undefined> {
    return this.written.get(key) ?? this.table.getBinary(unprefixedHexToBytes(key));
  }

  // oxlint-disable-next-line typescript/require-await
  async put(key: string, value: string | Uint8Array): Promise<void> {
    this.written.set(key, typeof value === 'string' ? unprefixedHexToBytes(value) : value);
  }

  /** Deletes nothing: nodes are shared between tries and kept permanently. */
  del(): Promise<void> {
    return Promise.resolve();
  }

  async batch(operations: BatchDBOp<string, string | Uint8Array>[]): Promise<void> {
    for (const operation of operations) {
      if (operation.type === 'put') await this.put(operation.key, operation.value);
    }
  }

  shallowCopy(): NodeBuffer {
    return this;
  }

  open(): Promise<void> {
    return Promise.resolve();
  }
}
