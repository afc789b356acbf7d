import type { Address, Hex } from 'viem';
import { z } from 'zod';
import { address, hash32, uint256 as number } from '../rest/fields.js';

// The deliveries and refunds that a relayer sends to the attesters. Numbers travel as decimal text.

const bytes = z
  .string()
  .regex(/^0x([0-9a-fA-F]{2})*$/, 'must be bytes in hex')
  .transform((text) => text.toLowerCase() as Hex);
/** The contract accepts at most this many bytes as the signature of an intent. */
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

/** A delivery or refund that attesters judge. Addresses and hashes are lower-case. */
export const attestItem = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('MINT'), id: hash32, origin, payment: mintPayment }),
  z.strictObject({ kind: z.literal('RELEASE'), id: hash32, origin, payment: releasePayment }),
  z.strictObject({
    kind: z.literal('INTENT'),
    id: hash32,
    /** Null until the transfer is known; until then only the acceptance is judged. */
    origin: transferOrigin.nullable(),
    intent,
    fee: number,
    /** The partner-chain block at which the API read the fee policy and verified the sender's signature. */
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

export type AttestItem = z.output<typeof attestItem>;

/** The operation that an item delivers or refunds. */
export function getOperationId(item: AttestItem): Hex {
  return item.kind === 'REFUND' ? item.approval.operationId : item.id;
}

/** The contract calls that attesters sign, with one digest each. */
export const ATTESTED_CALLS = ['MINT_MANY', 'RELEASE_MANY', 'RELEASE_INTENT', 'REFUND'] as const;

/** A call that a relayer is about to send, of items that it has shown. */
export const attestBatch = z.strictObject({
  /** The EIP-712 digest to sign. An attester computes the digest itself and signs only a match. */
  digest: hash32,
  call: z.enum(ATTESTED_CALLS),
  /** Item ids in the order of the payments; one for an intent or a refund. */
  ids: z.array(hash32).min(1).max(256),
  /** Number of the attester set in the called contract. */
  setNumber: number,
  /** Unix seconds. */
  validUntil: number,
});

/** A call that a relayer is about to send, of items that it has shown. */
export type AttestBatch = z.output<typeof attestBatch>;

/** Serializes an item or a batch to JSON, with bigints as decimal text. */
export function encodeAttest(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each));
}

/** A signature that the relayer keeps until the call is sent. */
export interface AttesterSignature {
  readonly attester: Address;
  /** 65 bytes. */
  readonly signature: Hex;
}
