import type { Signer } from '../signers/signer.js';
import type { SpendingLimits } from './books.js';
import type { LaneChain } from './ports.js';

/** How the lane of a wallet works. */
export interface LaneOptions {
  readonly chain: LaneChain;
  readonly signer: Signer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly limits: SpendingLimits;
  /** After which a transaction is replaced, if the market has risen above it. */
  readonly replaceAfterMs: number;
  /** Blocks after which a transaction is final, its own included. */
  readonly confirmations: number;
  /** Receives what an operator should see. */
  readonly log: (message: string, fields: Readonly<Record<string, string>>) => void;
}
