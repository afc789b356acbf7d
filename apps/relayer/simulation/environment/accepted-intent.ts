import type { Address, Hex } from 'viem';

/** An intent that the API was asked to accept. Times in epoch milliseconds. */
export interface Accepted {
  readonly id: Hex;
  readonly sender: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly outputAmount: bigint;
  readonly askedAtMs: number;
  /** Null without an answer: it may be accepted nevertheless. */
  acceptedAtMs: number | null;
  readonly expiresAtMs: number;
}
