import type { ConfigResponse, Side } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { Wallet } from '../wallet/wallet.js';
import type { Journal } from '../record/journal.js';
import type { TransferOptions } from './options.js';

/** The shared context of a transfer's steps. */
export interface TransferContext {
  readonly bridge: Bridge;
  readonly wallet: Wallet;
  readonly config: ConfigResponse;
  readonly journal: Journal;
  readonly options: TransferOptions;
  /** True if the transfer resumes after an interruption of unknown outcome. */
  readonly isResumed: boolean;
  /** True if the user has decided to resend an undecided step, once. */
  sendsAgain: boolean;
}

/** Polls before the transaction or batch itself is searched. */
export const LOOKS_PER_SEARCH = 5;
/** Consecutive failed searches after which it counts as lost: a minute on Ethereum. */
export const SEARCHES_UNTIL_LOST = 3;
/** Polling intervals in milliseconds. */
const POLL_MS = { ethereum: 4_000, partner: 1_000 };

/** Returns the side of a transfer's chain. */
export function findSide({ config, journal }: TransferContext): Side {
  return journal.record.chainId === config.ethereum.chainId ? 'ethereum' : 'partner';
}

/** Returns the polling interval for a transfer's chain. */
export function choosePollMs(context: TransferContext): number {
  return context.options.pollMs ?? POLL_MS[findSide(context)];
}
