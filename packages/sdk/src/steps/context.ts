import type { ConfigResponse, Side } from '@causeway/protocol';
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
  /** Whether the user has decided to send again what cannot be decided: one time. */
  sendsAgain: boolean;
}

/** Milliseconds between two looks. */
const POLL_MS = { ethereum: 4_000, partner: 1_000 };

/** The side of the chain of a transfer. */
export function findSide({ config, journal }: TransferContext): Side {
  return journal.record.chainId === config.ethereum.chainId ? 'ethereum' : 'partner';
}

/** The pause between two looks at the chain of a transfer. */
export function choosePollMs(context: TransferContext): number {
  return context.options.pollMs ?? POLL_MS[findSide(context)];
}
