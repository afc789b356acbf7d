import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { address, hash32 } from '../rest/fields.js';

// The deliveries and refunds that a relayer shows to the attesters. Numbers are decimal text on the way.

const number = z
  .string()
  .regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number in decimal')
  .transform(BigInt);
const bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be bytes in hex')
  .transform((text) => text.toLowerCase() as Hex);
/** The contract takes no longer signature of an intent. */
const signature = bytes.refine((text) => text.length <= 2 + 2 * 1_024, 'must have at most 1,024 bytes');
const callIndex = z.int().min(0);

const origin = z.strictObject({ blockNumber: number, transactionHash: hash32 });
const transferOrigin = z.strictObject({ blockNumber: number, transactionHash: hash32, callIndex });
const mintPayment = z.strictObject({ depositNonce: number, token: address, recipient: address, amount: number });
const releasePayment = z.strictObject({
  withdrawNonce: number,
  token: address,
  recipient: address,
  amount: number,
  fee: number,
});
const intent = z.strictObject({
  sender: address,
  recipient: address,
  amount: number,
  deadline: number,
  nonceHash: hash32,
  signature,
});
const approval = z.strictObject({
  requestId: hash32,
  reason: z.string().max(2_000),
  validUntil: z.int(),
  status: z.string().max(40),
  formerRecipient: address.nullable(),
  operationId: hash32,
  signatures: z.array(bytes).max(16),
});

/** A delivery or refund, as the attesters judge it. Addresses and hashes in lower case. */
export const attestItem = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('MINT'), id: hash32, origin, payment: mintPayment }),
  z.strictObject({ kind: z.literal('RELEASE'), id: hash32, origin, payment: releasePayment }),
  z.strictObject({
    kind: z.literal('INTENT'),
    id: hash32,
    /** Null until its transfer is known: the acceptance alone is judged. */
    origin: transferOrigin.nullable(),
    intent,
    fee: number,
    /** The block of BridgeMint's chain at which the API read the policy and asked the sender's account. */
    judgedAtBlock: number,
  }),
  z.strictObject({
    kind: z.literal('REFUND'),
    id: hash32,
    arrival: transferOrigin,
    wallet: address,
    token: address,
    recipient: address,
    amount: number,
    approval,
  }),
]);

/** A delivery or refund, as the attesters judge it. */
export type AttestItem = z.output<typeof attestItem>;

/** The calls for which attesters sign: one digest each. */
export const ATTESTED_CALLS = ['MINT_MANY', 'RELEASE_MANY', 'RELEASE_INTENT', 'REFUND'] as const;

/** A call that a relayer is about to send, of items that it has shown. */
export const attestBatch = z.strictObject({
  /** The EIP-712 digest to sign. An attester computes its own, and signs nothing else. */
  digest: hash32,
  call: z.enum(ATTESTED_CALLS),
  /** The items in the order of the payments; one for an intent or a refund. */
  ids: z.array(hash32).min(1).max(256),
  /** Of the attester set of the contract that is called. */
  setNumber: number,
  /** Unix seconds. */
  validUntil: number,
});

/** A call that a relayer is about to send, of items that it has shown. */
export type AttestBatch = z.output<typeof attestBatch>;

/** The values of an item or a batch as JSON has them. */
export function encodeAttest(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each));
}

/** Who signed for what, as the relayer keeps it until the call is sent. */
export interface AttesterSignature {
  readonly attester: Address;
  /** 65 bytes. */
  readonly signature: Hex;
}
