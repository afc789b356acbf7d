import type { ConfigResponse, FeeQuoteResponse } from '@causeway/protocol';
import type { Bridge } from '../bridge.js';
import type { NewestBlock } from '../wallet/node.js';
import { assertPasses, checkTransfer, type CheckReport } from '../check/check.js';
import { limitReads } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';
import type { TransferContext } from '../steps/context.js';
import { Journal } from '../record/journal.js';
import type { TransferOptions, TransferTerms } from '../steps/options.js';
import { findPlace, planTransfer, type Place, type PlannedTerms } from './plan.js';
import type { Step, TransferKind } from '../record/record.js';
import type { SentTransfer } from '../record/result.js';
import { runTransfer } from './run.js';

/** A transfer that has passed its checks. */
export interface CheckedTransfer {
  /** With a time-out for each read. */
  readonly wallet: Wallet;
  readonly config: ConfigResponse;
  readonly quote: FeeQuoteResponse;
  readonly place: Place;
  readonly block: NewestBlock;
  readonly terms: PlannedTerms;
}

/**
 * Checks a transfer, plans its steps and runs them.
 *
 * @throws CheckError if a finding blocks it, before anything is signed.
 */
export async function beginTransfer(
  bridge: Bridge,
  wallet: Wallet,
  kind: Exclude<TransferKind, 'CLAIM'>,
  { asset, amount, recipient }: TransferTerms,
  options: TransferOptions,
  planSteps: (checked: CheckedTransfer) => Promise<readonly Step[]> | readonly Step[],
): Promise<SentTransfer> {
  const { onProgress } = options;
  const limited = limitReads(wallet, bridge, options);
  onProgress?.({ ...CHECK, state: 'asked', message: 'Check the transfer' });
  const report: CheckReport = await checkTransfer(bridge, wallet, { kind, asset, amount, recipient }, options);
  assertPasses(report, options.accept);
  const { config, quote, block, amount: units } = report;
  const place = findPlace(config, kind === 'DEPOSIT' ? 'ethereum' : 'partner', asset);
  onProgress?.({ ...CHECK, state: 'done', chainId: place.chainId, message: 'The transfer can begin' });
  const terms = {
    kind,
    asset,
    amount: units,
    maxFee: BigInt(quote.feeAmount),
    sender: wallet.account,
    recipient,
    fromBlock: block.number,
  };
  const steps = await planSteps({ wallet: limited, config, quote, place, block, terms });
  const record = planTransfer(config, place, terms, steps);
  return runTransfer(freshContext(bridge, limited, config, new Journal(record, options), options));
}

const CHECK = { step: 'check', position: 0, count: 0 } as const;

/** Creates the context of a new transfer. */
export function freshContext(
  bridge: Bridge,
  wallet: Wallet,
  config: ConfigResponse,
  journal: Journal,
  options: TransferOptions,
): TransferContext {
  return { bridge, wallet, config, journal, options, isResumed: false, sendsAgain: false };
}
