import type { Hex } from 'viem';
import type { MerklePath } from './blocks/trie.js';
import type { AttestedCall } from './digests/attestation-digest.js';
import type { Side } from './nodes/finality.js';
import { NoQuorumError } from './nodes/quorum-reader.js';

/** Why a signature is refused, with a sentence for operators. */
export const REFUSAL_REASONS = {
  WRONG_ID: 'The id does not match the number, the signed terms or the transfer.',
  ORIGIN_NOT_FOUND: 'The final block has no transaction with this hash that begins this operation.',
  ORIGIN_FAILED: 'The transaction of the origin failed.',
  WRONG_SENDER: 'The sender of the transfer is another account or a relayer wallet.',
  WRONG_WALLET: 'The transfer did not go to the relayer wallet of that time.',
  WRONG_TOKEN: 'The token is not that of the origin on this chain, or is not in the settings.',
  WRONG_RECIPIENT: 'The recipient differs from that of the origin.',
  WRONG_AMOUNT: 'The amount is not that of the origin minus the fee.',
  WRONG_FEE: 'The fee differs from that of the event, or of the policy when the intent was judged.',
  BELOW_MINIMUM: 'The amount is below the minimum of the policy when the intent was judged.',
  SIGNATURE_INVALID: 'The sender of the intent did not sign these terms.',
  ACCEPTANCE_TOO_OLD: 'The intent was not judged within the 40 minutes before its transfer.',
  DEADLINE_PASSED: 'The transfer was mined after the deadline of the intent.',
  ALREADY_DELIVERED: 'A delivery of this id with these terms is final.',
  NUMBER_USED_UP: 'A delivery with other terms used up the number or id, and it was not reopened.',
  TRANSFER_USED: 'The transfer of the origin was signed for another operation or refund.',
  ID_USED: 'The id was signed for another transfer.',
  TRANSFER_PAID: 'An intent was released for the transfer of the origin.',
  REFUND_PAID: 'The refund of the same transfer is paid.',
  COLLATERAL_SHORT: 'The collateral on Ethereum does not cover the supply and this mint.',
  NOT_APPROVED: 'Too few operators of the configured list signed this refund.',
  BELONGS_TO_BURN: 'The tokens were handed in by a burn: its withdrawal is paid on Ethereum.',
} as const;

export type RefusalReason = keyof typeof REFUSAL_REASONS;

/** When to ask again: once a block of a chain is final, at a time (Unix seconds), or never with these nodes. */
export type Until = { readonly chain: Side; readonly block: bigint } | { readonly time: number } | 'STATE_GONE';

/** An origin transfer. Each pays at most one operation or refund. */
export interface TransferKey {
  readonly chainId: number;
  readonly transactionHash: Hex;
  /** The position of its log in the block; 0 for a plain transfer of coin. */
  readonly callIndex: number;
}

/** The evidence for a signature, verifiable without a node by `verifyReceiptProof`. */
export interface OriginProof {
  readonly chain: Side;
  readonly blockNumber: bigint;
  /** Computed from the header's fields, for each node of the quorum. */
  readonly blockHash: Hex;
  readonly receiptsRoot: Hex;
  readonly receiptIndex: number;
  readonly receiptPath: MerklePath;
}

/** The judgement of one delivery or refund. `call`: what may be signed, alone or in a batch of its kind. */
export type Verdict =
  | {
      readonly kind: 'SIGN';
      readonly call: AttestedCall;
      readonly proof: OriginProof;
      readonly transfer: TransferKey;
    }
  | NotYet
  | Refusal;

/** No judgement is possible yet. */
export interface NotYet {
  readonly kind: 'NOT_YET';
  readonly until: Until;
  readonly why: string;
}

/** The facts contradict the item. */
export interface Refusal {
  readonly kind: 'REFUSE';
  readonly reason: RefusalReason;
  readonly why: string;
}

/** Ends a judgement from inside a check. */
class Stop extends Error {
  constructor(readonly verdict: NotYet | Refusal) {
    super(verdict.why);
  }
}

/** Ends the judgement with a refusal. `found`: the contradiction, for operators. */
export function refuse(reason: RefusalReason, found: string): never {
  throw new Stop({ kind: 'REFUSE', reason, why: `${REFUSAL_REASONS[reason]} ${found}` });
}

/** Ends the judgement with NOT_YET, to be asked again. */
export function wait(until: Until, why: string): never {
  throw new Stop({ kind: 'NOT_YET', until, why });
}

/** Refuses when a value differs from the expected one. */
export function expectSame(reason: RefusalReason, found: unknown, expected: unknown): void {
  if (found !== expected) refuse(reason, `It is ${String(found)} instead of ${String(expected)}.`);
}

/** Seconds before asking again when nodes disagreed. */
const RETRY_SECONDS = 5;

/**
 * Runs a judgement. Unavailable or disagreeing nodes give NOT_YET.
 *
 * @param now Unix seconds.
 */
export async function conclude<T>(judge: () => Promise<T>, now: () => number): Promise<T | NotYet | Refusal> {
  try {
    return await judge();
  } catch (error) {
    if (error instanceof Stop) return error.verdict;
    if (!(error instanceof NoQuorumError)) throw error;
    const until = error.isStateGone ? 'STATE_GONE' : { time: now() + RETRY_SECONDS };
    return { kind: 'NOT_YET', until, why: error.message };
  }
}
