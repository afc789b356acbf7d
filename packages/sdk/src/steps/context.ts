import type { ConfigResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { Wallet } from '../wallet/wallet.js';
import type { Journal } from '../record/journal.js';
import type { TransferOptions } from './options.js';

/** Everything that the steps of a transfer share. */
export interface TransferContext {
  readonly bridge: Bridge;
  readonly wallet: Wallet;
  readonly config: ConfigResponse;
  readonly journal: Journal;
  readonly options: TransferOptions;
  /** Whether it is continued, perhaps elsewhere, after an end that is not known. */
  readonly isResumed: boolean;
  /** Whether no newer record can exist, so that a planned step was certainly not asked for. */
  readonly isNewest: boolean;
  /** Whether the user has decided to send again what cannot be decided. */
  readonly sendsAgain: boolean;
}
