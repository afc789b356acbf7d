import type { Hex } from 'viem';
import { z } from 'zod';
import { hash32 } from '../rest/fields.js';
import { attestBatch, attestItem } from './items.js';
import { reservesProposal, reservesStatement } from './reserves.js';

// The relayer's exchange, to which attesters connect: four POST requests of JSON with the headers of
// `request-signature.ts`. Unknown fields are refused.

/** The exchange answers another version with 409. */
export const EXCHANGE_VERSION = 3;
/** The exchange answers a longer body with 413. */
export const MAX_EXCHANGE_BYTES = 256 * 1_024;
/** How long `work` waits for new items (long polling). */
export const WORK_WAIT_MS = 10_000;

export const EXCHANGE_PATHS = {
  work: '/v1/work',
  verdicts: '/v1/verdicts',
  signatures: '/v1/signatures',
  reserves: '/v1/reserves',
} as const;

const version = z.int();

/** `work`: requests the entries after a position in the list of the exchange; 0 at first. */
export const workRequest = z.strictObject({
  version,
  /** One per process, so that two processes with the same key are noticed. */
  instance: z.uuid(),
  after: z.int().min(0),
});

/** Stages at which an item is sent: when it is accepted, and again when its origin is final. */
export const ATTEST_STAGES = ['ACCEPTED', 'FINAL'] as const;

/** Relayer settings that an attester compares with its own. Operations wait while they differ. */
export const exchangeSettings = z.strictObject({
  /** How long a withdrawal is held after its origin is final. */
  holdSeconds: z.int().min(0),
  ethereumConfirmations: z.int().min(0),
  partnerConfirmations: z.int().min(0),
  /** Validity of the requested attestations. */
  validSeconds: z.int().min(1),
});

export const workAnswer = z.strictObject({
  version,
  settings: exchangeSettings,
  /** `after` of the next request. It is lower after a restart of the exchange. */
  after: z.int().min(0),
  /** Processes that use this attester's key; more than one is a fault. */
  instances: z.int().min(1),
  items: z.array(z.strictObject({ stage: z.enum(ATTEST_STAGES), item: attestItem })),
  /** Items that need no judgement. */
  gone: z.array(hash32),
  batches: z.array(attestBatch),
  /** The reserves to state; null while nothing new is proposed. */
  reserves: reservesProposal.nullable(),
});

const signature = z
  .string()
  .regex(/^0x[0-9a-fA-F]{130}$/, 'must be 65 bytes in hex')
  .transform((text) => text.toLowerCase() as Hex);

const why = z.string().max(500);
/** An attester's verdict on an item. */
export const attestVerdict = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('SIGN') }),
  z.strictObject({ kind: z.literal('NOT_YET'), why }),
  z.strictObject({ kind: z.literal('REFUSE'), reason: z.string().regex(/^[A-Z_]{1,40}$/), why }),
]);

/** `verdicts`: an attester's verdicts on items. A later verdict replaces an earlier one. */
export const verdictsRequest = z.strictObject({
  version,
  verdicts: z
    .array(z.strictObject({ id: hash32, verdict: attestVerdict }))
    .min(1)
    .max(256),
});

/** `signatures`: a signature over the digest of a pending batch; 403 for any other digest. */
export const signatureRequest = z.strictObject({
  version,
  digest: hash32,
  signature,
});

/** `reserves`: an attester's statement for the proposal; 403 for any other one. */
export const reservesRequest = z.strictObject({
  version,
  statement: reservesStatement,
  signature,
});

export type ExchangeSettings = z.output<typeof exchangeSettings>;
export type WorkRequest = z.output<typeof workRequest>;
export type WorkAnswer = z.output<typeof workAnswer>;
export type AttestStage = (typeof ATTEST_STAGES)[number];
export type AttestVerdict = z.output<typeof attestVerdict>;
export type VerdictsRequest = z.output<typeof verdictsRequest>;
export type SignatureRequest = z.output<typeof signatureRequest>;
