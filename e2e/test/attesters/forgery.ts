import type { AttestBatch, AttestItem } from '@causeway/protocol/attest';
import type { Consent, Domain, Origin, RefusalReason, TransferOrigin } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import type { TestEnvironment } from '../temporary-environment.js';
import type { Item } from './origins.js';
import type { Key } from './transactions.js';

/** The honest items that forged items are made from, by kind. */
export interface Honest {
  readonly MINT: Item<'MINT'>;
  readonly RELEASE: Item<'RELEASE'>;
  readonly INTENT: Item<'INTENT'>;
  /** Refund of native XCN. */
  readonly REFUND: Item<'REFUND'>;
  readonly TOKEN_REFUND: Item<'REFUND'>;
}

export type Base = keyof Honest;
export const BASES = ['MINT', 'RELEASE', 'INTENT', 'REFUND', 'TOKEN_REFUND'] as const satisfies readonly Base[];

/** What a thief can use. */
export interface Scene {
  readonly environment: TestEnvironment;
  /** The thief's account, without an office. */
  readonly mallory: Key;
  /** Unchanged honest items, one of each kind. */
  readonly others: Honest;
  /** Origins made by the thief. */
  readonly made: {
    /** The thief's contract emitted a Deposit event of a million. */
    readonly deposit: Origin;
    /** The same for a withdrawal. */
    readonly withdrawal: Origin;
    /** A deposit that reverted. */
    readonly failed: Origin;
    /** A payment from Alice to Bob. */
    readonly elsewhere: TransferOrigin;
    /** An unswept payment from Alice to the relayer wallet, of `circleAmount`. */
    readonly unswept: TransferOrigin;
    /** A payment from the relayer wallet to itself. */
    readonly circle: TransferOrigin;
    readonly circleAmount: bigint;
    /** Amount in the events. */
    readonly amount: bigint;
  };
}

/** The thief's request to the attesters. */
export interface Forged {
  /** Items shown to the attesters. Default: the requested ones. */
  readonly shown?: readonly AttestItem[];
  /** The terms of the digest, and of the thief's own call. */
  readonly asked: readonly AttestItem[];
  /** Changes to the sent batch. */
  readonly batch?: Partial<AttestBatch>;
  /** Changes to the consent. `aheadSeconds`: seconds from the newest block to its end. */
  readonly consent?: Partial<Pick<Consent, 'setNumber'>> & { readonly aheadSeconds?: number };
  readonly domain?: Domain;
}

/** A kind of forged delivery or refund. */
export interface Forgery {
  readonly name: string;
  readonly base: Base;
  /** The verifier's reason, or the attester's answer on the batch. */
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

/** Chooses from a list by a seed. */
export function choose<T>(all: readonly T[], count: number, from: number): readonly T[] {
  const order = all.map((one, index) => ({ one, rank: Math.imul((index + 1) * 0x9e37_79b1, from | 1) >>> 0 }));
  return order
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ one }) => one);
}

/** The hash of no transaction. */
export const NO_HASH: Hex = `0x${'ab'.repeat(32)}`;
/** Returns an id of no operation, different for each item. */
export const makeWrongId = (id: Hex): Hex => `${id.slice(0, 62) as Hex}${id.endsWith('0000') ? '1111' : '0000'}`;
export const NO_TOKEN: Address = `0x${'cd'.repeat(20)}`;
export const NOT_FINAL = /The block of the origin is not final/;
