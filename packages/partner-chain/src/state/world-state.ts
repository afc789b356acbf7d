import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import { Account, bytesToUnprefixedHex, KECCAK256_NULL, unpadBytes, type Address } from '@ethereumjs/util';
import { keccak256 } from '../hash/keccak256.js';
import type { StateReader } from './state-reader.js';

const EMPTY = new Uint8Array(0);

/** What a block changed: by address in hex without prefix, `null` for an account that is gone. */
export interface StateChanges {
  readonly accounts: ReadonlyMap<string, Account | null>;
  readonly slots: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
  /** New code by its hash in hex. */
  readonly codes: ReadonlyMap<string, Uint8Array>;
}

/**
 * The state under execution: a reader of what was before, and what was written since in memory, with checkpoints. EthereumJS runs on it through
 * its StateManagerInterface. Balances are in units of 8 decimals.
 *
 * Values that were put in are never changed in place, so undoing a write is putting the old value back.
 */
export class WorldState implements StateManagerInterface {
  #accounts = new Map<string, Account | null>();
  #slots = new Map<string, Map<string, Uint8Array>>();
  #codes = new Map<string, Uint8Array>();
  #undo: (() => void)[] = [];
  #checkpoints: number[] = [];
  /** Whether an account that this transaction wrote existed before it. */
  #existedBefore = new Map<string, boolean>();
  /** What a slot that this transaction wrote held before it (EIP-2200). */
  #slotsBefore = new Map<string, Uint8Array>();

  constructor(private reader: StateReader) {}

  /** Forgets every write and reads from another state. */
  reset(reader: StateReader): void {
    this.reader = reader;
    this.#accounts = new Map();
    this.#slots = new Map();
    this.#codes = new Map();
    this.#undo = [];
    this.#checkpoints = [];
    this.beginTransaction();
  }

  /** From here on "before" means now. */
  beginTransaction(): void {
    this.#existedBefore = new Map();
    this.#slotsBefore = new Map();
    if (this.#checkpoints.length === 0) this.#undo = [];
  }

  /** Addresses this transaction wrote to that were not there before it, in hex without prefix. */
  writtenAndNew(): string[] {
    return [...this.#existedBefore].filter(([, existed]) => !existed).map(([address]) => address);
  }

  /** Whether the address had an account, if only an empty one, before this transaction. */
  existedBefore(address: Address): boolean {
    const key = keyOf(address);
    return this.#existedBefore.get(key) ?? this.#read(address, key) !== undefined;
  }

  changes(): StateChanges {
    return { accounts: this.#accounts, slots: this.#slots, codes: this.#codes };
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous, this state is not
  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.#read(address, keyOf(address));
    return account === undefined ? undefined : copyOf(account);
  }

  // oxlint-disable-next-line typescript/require-await
  async putAccount(address: Address, account?: Account): Promise<void> {
    this.#write(address, account === undefined ? null : copyOf(account));
  }

  // oxlint-disable-next-line typescript/require-await
  async deleteAccount(address: Address): Promise<void> {
    this.#write(address, null);
    this.#clearSlots(keyOf(address));
  }

  // oxlint-disable-next-line typescript/require-await
  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const before = this.#read(address, keyOf(address)) ?? new Account();
    this.#write(
      address,
      new Account(
        fields.nonce ?? before.nonce,
        fields.balance ?? before.balance,
        fields.storageRoot ?? before.storageRoot,
        fields.codeHash ?? before.codeHash,
      ),
    );
  }

  async putCode(address: Address, code: Uint8Array): Promise<void> {
    const codeHash = code.length === 0 ? KECCAK256_NULL : keccak256(code);
    if (code.length > 0) this.#codes.set(bytesToUnprefixedHex(codeHash), code);
    await this.modifyAccountFields(address, { codeHash });
  }

  // oxlint-disable-next-line typescript/require-await
  async getCode(address: Address): Promise<Uint8Array> {
    const account = this.#read(address, keyOf(address));
    if (account === undefined || !account.isContract()) return EMPTY;
    return this.#codes.get(bytesToUnprefixedHex(account.codeHash)) ?? this.reader.code(account.codeHash);
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  // oxlint-disable-next-line typescript/require-await
  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.#slot(address, key);
  }

  // oxlint-disable-next-line typescript/require-await
  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const account = keyOf(address);
    const name = bytesToUnprefixedHex(key);
    const before = this.#slot(address, key);
    const place = account + name;
    if (!this.#slotsBefore.has(place)) this.#slotsBefore.set(place, before);
    const slots = this.#slots.get(account) ?? new Map<string, Uint8Array>();
    if (!this.#slots.has(account)) this.#slots.set(account, slots);
    const overwritten = slots.get(name);
    slots.set(name, unpadBytes(value));
    this.#undo.push(() => (overwritten === undefined ? slots.delete(name) : slots.set(name, overwritten)));
  }

  /**
   * Clears what was written in this block. Slots of earlier blocks cannot be asked for: an account that has storage is never created again
   * (EIP-7610) and never deleted (EIP-6780).
   */
  // oxlint-disable-next-line typescript/require-await
  async clearStorage(address: Address): Promise<void> {
    this.#clearSlots(keyOf(address));
  }

  // oxlint-disable-next-line typescript/require-await
  async checkpoint(): Promise<void> {
    this.#checkpoints.push(this.#undo.length);
  }

  // oxlint-disable-next-line typescript/require-await
  async commit(): Promise<void> {
    this.#checkpoints.pop();
  }

  // oxlint-disable-next-line typescript/require-await
  async revert(): Promise<void> {
    const to = this.#checkpoints.pop() ?? 0;
    while (this.#undo.length > to) this.#undo.pop()?.();
  }

  readonly originalStorageCache = {
    // oxlint-disable-next-line typescript/require-await
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> =>
      this.#slotsBefore.get(keyOf(address) + bytesToUnprefixedHex(key)) ?? this.#slot(address, key),
    clear: (): void => this.#slotsBefore.clear(),
  };

  getStateRoot(): Promise<Uint8Array> {
    return Promise.reject(new Error('The root is computed once a block, by the state trie'));
  }

  setStateRoot(): Promise<void> {
    return Promise.reject(new Error('This state is set by its reader, not by a root'));
  }

  hasStateRoot(): Promise<boolean> {
    return Promise.resolve(false);
  }

  clearCaches(): void {
    this.originalStorageCache.clear();
  }

  shallowCopy(): StateManagerInterface {
    return new WorldState(this.reader);
  }

  #read(address: Address, key: string): Account | undefined {
    const written = this.#accounts.get(key);
    if (written !== undefined) return written ?? undefined;
    return this.reader.account(address.bytes);
  }

  #write(address: Address, account: Account | null): void {
    const key = keyOf(address);
    if (!this.#existedBefore.has(key)) this.#existedBefore.set(key, this.#read(address, key) !== undefined);
    const overwritten = this.#accounts.get(key);
    this.#accounts.set(key, account);
    this.#undo.push(() =>
      overwritten === undefined ? this.#accounts.delete(key) : this.#accounts.set(key, overwritten),
    );
  }

  #slot(address: Address, key: Uint8Array): Uint8Array {
    const written = this.#slots.get(keyOf(address))?.get(bytesToUnprefixedHex(key));
    return written ?? this.reader.slot(address.bytes, key);
  }

  #clearSlots(account: string): void {
    const slots = this.#slots.get(account);
    if (slots === undefined) return;
    for (const [name, value] of slots) {
      if (!this.#slotsBefore.has(account + name)) this.#slotsBefore.set(account + name, value);
    }
    this.#slots.delete(account);
    this.#undo.push(() => this.#slots.set(account, slots));
  }
}

function keyOf(address: Address): string {
  return bytesToUnprefixedHex(address.bytes);
}

function copyOf(account: Account): Account {
  return new Account(account.nonce, account.balance, account.storageRoot, account.codeHash);
}
