import type { AccountFields, StateManagerInterface } from '@ethereumjs/common';
import {
  Account,
  Address,
  bytesToUnprefixedHex,
  KECCAK256_NULL,
  unpadBytes,
  unprefixedHexToBytes,
} from '@ethereumjs/util';
import { keccak256 } from '../keccak256.js';
import type { StateReader } from './state-reader.js';

const EMPTY = new Uint8Array(0);

/** A block's changes, by address in hex without prefix; `null` for a deleted account. */
export interface StateChanges {
  readonly accounts: ReadonlyMap<string, Account | null>;
  readonly slots: ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>;
  /** New code by its hash in hex. */
  readonly codes: ReadonlyMap<string, Uint8Array>;
}

/**
 * The state during execution: a reader of the previous state, and later writes in memory, with checkpoints. EthereumJS
 * uses it through its StateManagerInterface. Balances are in units of 8 decimals.
 *
 * Values in the maps are never changed in place, so that undoing a write only restores the old value.
 */
export class WorldState implements StateManagerInterface {
  private accounts = new Map<string, Account | null>();
  private slots = new Map<string, Map<string, Uint8Array>>();
  private codes = new Map<string, Uint8Array>();
  private undo: (() => void)[] = [];
  private checkpoints: number[] = [];
  /** For each account that this transaction wrote: whether it existed before. */
  private existedBefore = new Map<string, boolean>();
  /** Accounts that a payment of this transaction created. */
  private createdByPayment = new Set<string>();
  /** Values before this transaction of the slots that it wrote (EIP-2200). */
  private slotsBefore = new Map<string, Uint8Array>();

  constructor(private reader: StateReader) {}

  /** Discards all writes and reads from another state. */
  reset(reader: StateReader): void {
    this.reader = reader;
    this.accounts = new Map();
    this.slots = new Map();
    this.codes = new Map();
    this.undo = [];
    this.checkpoints = [];
    this.beginTransaction();
  }

  /** Starts a transaction: the current values become the original values. */
  beginTransaction(): void {
    this.existedBefore = new Map();
    this.createdByPayment = new Set();
    this.slotsBefore = new Map();
    if (this.checkpoints.length === 0) this.undo = [];
  }

  /**
   * Marks the recipient of coin or tokens as created by payment if the account did not exist before this transaction. A
   * contract that the transaction deployed does not count, because deployment has its own price.
   *
   * @param ofTokens true if the account must be written here; coin writes it on arrival.
   * @returns whether this payment creates the account.
   */
  createForPayment(address: Address, ofTokens: boolean): boolean {
    const key = toKey(address);
    const account = this.read(address, key);
    const existed = this.existedBefore.get(key) ?? account !== undefined;
    if (existed || (account !== undefined && (account.nonce > 0n || account.isContract()))) return false;
    if (ofTokens && account === undefined) this.write(address, new Account());
    if (this.createdByPayment.has(key)) return false;
    this.createdByPayment.add(key);
    this.undo.push(() => this.createdByPayment.delete(key));
    return true;
  }

  /**
   * Removes the accounts that this transaction only touched (EIP-161). Keeps empty accounts that existed before or that
   * a payment created.
   */
  removeTouched(): void {
    for (const [key, existed] of this.existedBefore) {
      if (existed || this.createdByPayment.has(key)) continue;
      const address = new Address(unprefixedHexToBytes(key));
      if (this.read(address, key)?.isEmpty() === true) this.write(address, null);
    }
  }

  changes(): StateChanges {
    return { accounts: this.accounts, slots: this.slots, codes: this.codes };
  }

  // oxlint-disable-next-line typescript/require-await -- the interface is asynchronous, this state is not
  async getAccount(address: Address): Promise<Account | undefined> {
    const account = this.read(address, toKey(address));
    return account === undefined ? undefined : copyAccount(account);
  }

  // oxlint-disable-next-line typescript/require-await
  async putAccount(address: Address, account?: Account): Promise<void> {
    this.write(address, account === undefined ? null : copyAccount(account));
  }

  // oxlint-disable-next-line typescript/require-await
  async deleteAccount(address: Address): Promise<void> {
    this.write(address, null);
    this.clearSlots(toKey(address));
  }

  // oxlint-disable-next-line typescript/require-await
  async modifyAccountFields(address: Address, fields: AccountFields): Promise<void> {
    const before = this.read(address, toKey(address)) ?? new Account();
    this.write(
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
    if (code.length > 0) this.codes.set(bytesToUnprefixedHex(codeHash), code);
    await this.modifyAccountFields(address, { codeHash });
  }

  // oxlint-disable-next-line typescript/require-await
  async getCode(address: Address): Promise<Uint8Array> {
    const account = this.read(address, toKey(address));
    if (account === undefined || !account.isContract()) return EMPTY;
    return this.codes.get(bytesToUnprefixedHex(account.codeHash)) ?? this.reader.code(account.codeHash);
  }

  async getCodeSize(address: Address): Promise<number> {
    return (await this.getCode(address)).length;
  }

  // oxlint-disable-next-line typescript/require-await
  async getStorage(address: Address, key: Uint8Array): Promise<Uint8Array> {
    return this.slot(address, key);
  }

  // oxlint-disable-next-line typescript/require-await
  async putStorage(address: Address, key: Uint8Array, value: Uint8Array): Promise<void> {
    const account = toKey(address);
    const name = bytesToUnprefixedHex(key);
    const before = this.slot(address, key);
    const place = account + name;
    if (!this.slotsBefore.has(place)) this.slotsBefore.set(place, before);
    const slots = this.slots.get(account) ?? new Map<string, Uint8Array>();
    if (!this.slots.has(account)) this.slots.set(account, slots);
    const overwritten = slots.get(name);
    slots.set(name, unpadBytes(value));
    this.undo.push(() => (overwritten === undefined ? slots.delete(name) : slots.set(name, overwritten)));
  }

  /**
   * Clears the slots written in this block. Slots of earlier blocks never need clearing: an account with storage is
   * never created again (EIP-7610) and never deleted (EIP-6780).
   */
  // oxlint-disable-next-line typescript/require-await
  async clearStorage(address: Address): Promise<void> {
    this.clearSlots(toKey(address));
  }

  // oxlint-disable-next-line typescript/require-await
  async checkpoint(): Promise<void> {
    this.checkpoints.push(this.undo.length);
  }

  // oxlint-disable-next-line typescript/require-await
  async commit(): Promise<void> {
    this.checkpoints.pop();
  }

  // oxlint-disable-next-line typescript/require-await
  async revert(): Promise<void> {
    const to = this.checkpoints.pop() ?? 0;
    while (this.undo.length > to) this.undo.pop()?.();
  }

  readonly originalStorageCache = {
    // oxlint-disable-next-line typescript/require-await
    get: async (address: Address, key: Uint8Array): Promise<Uint8Array> =>
      this.slotsBefore.get(toKey(address) + bytesToUnprefixedHex(key)) ?? this.slot(address, key),
    clear: (): void => this.slotsBefore.clear(),
  };

  getStateRoot(): Promise<Uint8Array> {
    return Promise.reject(new Error('The state trie computes the root once per block'));
  }

  setStateRoot(): Promise<void> {
    return Promise.reject(new Error('This state comes from its reader, not from a root'));
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

  private read(address: Address, key: string): Account | undefined {
    const written = this.accounts.get(key);
    if (written !== undefined) return written ?? undefined;
    return this.reader.account(address.bytes);
  }

  private write(address: Address, account: Account | null): void {
    const key = toKey(address);
    if (!this.existedBefore.has(key)) this.existedBefore.set(key, this.read(address, key) !== undefined);
    const overwritten = this.accounts.get(key);
    this.accounts.set(key, account);
    this.undo.push(() => (overwritten === undefined ? this.accounts.delete(key) : this.accounts.set(key, overwritten)));
  }

  private slot(address: Address, key: Uint8Array): Uint8Array {
    const written = this.slots.get(toKey(address))?.get(bytesToUnprefixedHex(key));
    return written ?? this.reader.slot(address.bytes, key);
  }

  private clearSlots(account: string): void {
    const slots = this.slots.get(account);
    if (slots === undefined) return;
    for (const [name, value] of slots) {
      if (!this.slotsBefore.has(account + name)) this.slotsBefore.set(account + name, value);
    }
    this.slots.delete(account);
    this.undo.push(() => this.slots.set(account, slots));
  }
}

function toKey(address: Address): string {
  return bytesToUnprefixedHex(address.bytes);
}

/** Returns a mutable copy. */
export function copyAccount(account: Account): Account {
  return new Account(account.nonce, account.balance, account.storageRoot, account.codeHash);
}
