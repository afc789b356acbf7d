import { bytesToUnprefixedHex, type Account } from '@ethereumjs/util';
import type { StateReader } from './state-reader.js';

/** A state that records reads. Addresses and slots are hex without prefix. */
export class RecordingState implements StateReader {
  readonly accounts = new Map<string, Account | undefined>();
  readonly slots = new Map<string, Map<string, Uint8Array>>();

  constructor(private readonly base: StateReader) {}

  account(address: Uint8Array): Account | undefined {
    const account = this.base.account(address);
    this.accounts.set(bytesToUnprefixedHex(address), account);
    return account;
  }

  slot(address: Uint8Array, key: Uint8Array): Uint8Array {
    const value = this.base.slot(address, key);
    const name = bytesToUnprefixedHex(address);
    const slots = this.slots.get(name) ?? new Map<string, Uint8Array>();
    slots.set(bytesToUnprefixedHex(key), value);
    this.slots.set(name, slots);
    return value;
  }

  code(codeHash: Uint8Array): Uint8Array {
    return this.base.code(codeHash);
  }
}
