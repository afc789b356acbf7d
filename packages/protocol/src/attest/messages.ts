import type { Hex } from 'viem';
import { z } from 'zod';
import { hash32 } from '../rest/fields.js';
import { attestBatch, attestItem } from './items.js';

// The exchange of a relayer, to which attesters dial: three calls, each a POST of JSON with the headers of
// `request-signature.ts`. Unknown fields are refused.

/** A peer of another version is answered with 409. */
export const EXCHANGE_VERSION = 2;
/** A longer body is answered with 413. */
export const MAX_EXCHANGE_BYTES = 256 * 1_024;
/** How long `work` waits for something new. */
export const WORK_WAIT_MS = 10_000;

export const EXCHANGE_PATHS = { work: '/v1/work', verdicts: '/v1/verdicts', signatures: '/v1/signatures' } as const;

const version = z.int();

/** `work`: asks for the news after a position in the list of one exchange; 0 at first. */
export const workRequest = z.strictObject({
  version,
  /** Of the process: two processes of one key have two. */
  instance: z.uuid(),
  after: z.int().min(0),
});

/** The stage of an item that is shown: when it was accepted, and again when its origin is final. */
export const ATTEST_STAGES = ['ACCEPTED', 'FINAL'] as const;

/** The settings of a relayer that an attester compares with its own: where they differ, operations wait. */
export const exchangeSettings = z.strictObject({
  /** How long a withdrawal is held once its origin is final. */
  holdSeconds: z.int().min(0),
  ethereumConfirmations: z.int().min(0),
  partnerConfirmations: z.int().min(0),
  /** How long the attestations hold for which it asks. */
  validSeconds: z.int().min(1),
});

export const workAnswer = z.strictObject({
  version,
  settings: exchangeSettings,
  /** To be sent with the next request. An exchange that began again has a lower one. */
  after: z.int().min(0),
  /** How many processes of this attester's key ask: more than one is a fault. */
  instances: z.int().min(1),
  items: z.array(z.strictObject({ stage: z.enum(ATTEST_STAGES), item: attestItem })),
  /** Items that need no judgement any more. */
  gone: z.array(hash32),
  batches: z.array(attestBatch),
});

const why = z.string().max(500);
/** The verdict of an attester about an item. */
export const attestVerdict = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('SIGN') }),
  z.strictObject({ kind: z.literal('NOT_YET'), why }),
  z.strictObject({ kind: z.literal('REFUSE'), reason: z.string().regex(/^[A-Z_]{1,40}$/), why }),
]);

/** `verdicts`: the verdicts of an attester about items. A later one takes the place of an earlier one. */
export const verdictsRequest = z.strictObject({
  version,
  verdicts: z
    .array(z.strictObject({ id: hash32, verdict: attestVerdict }))
    .min(1)
    .max(256),
});

/** `signatures`: a signature over the digest of a pending batch; 403 for any other one. */
export const signatureRequest = z.strictObject({
  version,
  digest: hash32,
  signature: z
    .string()
    .regex(/^0x[0-9a-fA-F]{130}$/, 'must be 65 bytes in hex')
    .transform((text) => text.toLowerCase() as Hex),
});

export type ExchangeSettings = z.output<typeof exchangeSettings>;
export type WorkRequest = z.output<typeof workRequest>;
export type WorkAnswer = z.output<typeof workAnswer>;
export type AttestStage = (typeof ATTEST_STAGES)[number];
export type AttestVerdict = z.output<typeof attestVerdict>;
export type VerdictsRequest = z.output<typeof verdictsRequest>;
export type SignatureRequest = z.output<typeof signatureRequest>;
