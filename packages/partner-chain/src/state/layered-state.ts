import { bytesToUnprefixedHex, type Account } from '@ethereumjs/util';
import type { StateReader } from './state-reader.js';
import { copyAccount, type StateChanges } from './world-state.js';

/** Changes to a state, by address in hex without prefix. */
export interface StateLayer extends StateChanges {
  /** Accounts whose only valid slots are those of this layer. */
  readonly emptied: ReadonlySet<string>;
}

const EMPTY = new Uint8Array(0);

/** A mutable layer. */
export class MutableLayer implements StateLayer {
  readonly accounts = new Map<string, Account | null>();
  readonly slots = new Map<string, Map<string, Uint8Array>>();
  readonly codes = new Map<string, Uint8Array>();
  readonly emptied = new Set<string>();

  /** Adds later changes. */
  add({ accounts, slots, codes, emptied }: StateChanges & Partial<StateLayer>): void {
    for (const address of emptied ?? []) {
      this.emptied.add(address);
      this.slots.delete(address);
    }
    for (const [address, account] of accounts) this.accounts.set(address, account);
    for (const [hash, code] of codes) this.codes.set(hash, code);
    for (const [address, values] of slots) {
      const own = this.slots.get(address) ?? new Map<string, Uint8Array>();
      for (const [slot, value] of values) own.set(slot, value);
      this.slots.set(address, own);
    }
  }
}

/** A state with layers of changes. */
export class LayeredState implements StateReader {
  constructor(
    private readonly base: StateReader,
    private readonly layer: StateLayer,
  ) {}

  account(address: Uint8Array): Account | undefined {
    const changed = this.layer.accounts.get(bytesToUnprefixedHex(address));
    if (changed === undefined) return this.base.account(address);
    return changed === null ? undefined : copyAccount(changed);
  }

  slot(address: Uint8Array, key: Uint8Array): Uint8Array {
    const account = bytesToUnprefixedHex(address);
    const changed = this.layer.slots.get(account)?.get(bytesToUnprefixedHex(key));
    if (changed !== undefined) return changed;
    return this.layer.emptied.has(account) ? EMPTY : this.base.slot(address, key);
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.layer.codes.get(bytesToUnprefixedHex(codeHash)) ?? this.base.code(codeHash);
  }
}
