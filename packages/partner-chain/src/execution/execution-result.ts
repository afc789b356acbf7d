import type { Address } from '@ethereumjs/util';
import type { Log } from '../logs/log.js';
import type { CallFrame } from './call-frame.js';

/** What came of running a message. */
export interface ExecutionResult {
  readonly status: 0 | 1;
  /** Gas paid, refunds taken off and lazy accounts added. */
  readonly gasUsed: bigint;
  /** Gas that had to be at hand at the fullest, before refunds were taken off. */
  readonly gasNeeded: bigint;
  readonly logs: readonly Log[];
  readonly returnValue: Uint8Array;
  /** The EVM's word for what went wrong. */
  readonly error: string | null;
  readonly createdAddress: Address | null;
  readonly calls: CallFrame;
  /** Accounts that came into being by being sent coin or tokens. */
  readonly lazyAccounts: number;
}
