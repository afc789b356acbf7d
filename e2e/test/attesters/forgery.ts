import type { AttestBatch, AttestItem } from '@causeway/protocol/attest';
import type { Consent, Domain, Origin, RefusalReason, TransferOrigin } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';
import type { Item } from './origins.js';
import type { Key } from './transactions.js';

/** The honest items from which forged ones are made, by their kinds. */
export interface Honest {
  readonly MINT: Item<'MINT'>;
  readonly RELEASE: Item<'RELEASE'>;
  readonly INTENT: Item<'INTENT'>;
  /** Of native XCN. */
  readonly REFUND: Item<'REFUND'>;
  readonly TOKEN_REFUND: Item<'REFUND'>;
}

export type Base = keyof Honest;

/** Everything that a thief may use. */
export interface Scene {
  readonly environment: TestEnvironment;
  /** An account of the thief, without an office. */
  readonly mallory: Key;
  /** Honest items that stay as they are, one of each kind. */
  readonly others: Honest;
  /** Origins of the thief's own making. */
  readonly made: {
    /** A contract of the thief emitted the event of a deposit of a million. */
    readonly deposit: Origin;
    /** Likewise of a withdrawal. */
    readonly withdrawal: Origin;
    /** A deposit that reverted. */
    readonly failed: Origin;
    /** A payment of Alice to Bob. */
    readonly elsewhere: TransferOrigin;
    /** A payment of Alice to the relayer wallet, of `circleAmount`, that is not swept. */
    readonly unswept: TransferOrigin;
    /** A payment of the relayer wallet to itself. */
    readonly circle: TransferOrigin;
    readonly circleAmount: bigint;
    /** Of the events. */
    readonly amount: bigint;
  };
}

/** A request of the thief to the attesters. */
export interface Forged {
  /** Shown to the attesters; those that are asked for, unless given. */
  readonly shown?: readonly AttestItem[];
  /** The terms of the digest, and of the thief's own call. */
  readonly asked: readonly AttestItem[];
  /** Changes of the batch as it is sent. */
  readonly batch?: Partial<AttestBatch>;
  /** Changes of the consent; `aheadSeconds`: its end after the newest block. */
  readonly consent?: Partial<Pick<Consent, 'setNumber'>> & { readonly aheadSeconds?: number };
  readonly domain?: Domain;
}

/** A kind of forged delivery or refund. */
export interface Forgery {
  readonly name: string;
  readonly base: Base;
  /** The reason of the verifier, or the answer of the attester about the batch. */
  readonly refusal: RefusalReason | RegExp;
  readonly forge: (honest: Honest, scene: Scene) => Forged | Promise<Forged>;
}

/** A forgery of one item. */
export function forgeItem<B extends Base>(
  base: B,
  name: string,
  refusal: RefusalReason | RegExp,
  change: (item: Honest[B], scene: Scene) => AttestItem | Promise<AttestItem>,
): Forgery {
  return {
    name: `${base}: ${name}`,
    base,
    refusal,
    forge: async (honest, scene) => ({ asked: [await change(honest[base], scene)] }),
  };
}

/** A hash of no transaction. */
export const NO_HASH: Hex = `0x${'ab'.repeat(32)}`;
/** The id of no operation, another one for each item. */
export const makeWrongId = (id: Hex): Hex => `${id.slice(0, 62) as Hex}${id.endsWith('0000') ? '1111' : '0000'}`;
export const NO_TOKEN: Address = `0x${'cd'.repeat(20)}`;
export const NOT_FINAL = /The block of the origin is not final/;
