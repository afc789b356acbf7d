import type { ConfigResponse } from '@causeway/protocol';
import { isAddressEqual } from 'viem';
import { getConfig } from '../api/config.js';
import type { Bridge } from '../bridge.js';
import { RecordError, UndecidedError, WrongAccountError } from '../errors.js';
import { assertChain } from '../wallet/ask.js';
import { limitReads, readReceipt } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';
import type { TransferContext } from '../steps/context.js';
import { Journal } from '../record/journal.js';
import { withLock } from '../record/lock.js';
import type { TransferOptions } from '../steps/options.js';
import { findPlace } from './plan.js';
import type { TransferRecord } from '../record/record.js';
import { parseRecord } from '../record/record-form.js';
import type { SentTransfer, UndecidedTransfer } from '../record/result.js';
import { runSteps } from './run.js';

/** Options of `resume`. */
export interface ResumeOptions extends TransferOptions {
  /** The user has confirmed recipient and amount of a record unknown to the store, and that it is the newest copy. */
  readonly confirmed?: boolean;
  /**
   * The user has verified that the wallet did not send an UNDECIDED step, and has rejected its open requests. It allows
   * one sending, after a last search of the chain.
   */
  readonly sendAgain?: boolean;
}

/** A record unknown to the store. The user must confirm whom it pays before a wallet opens. */
export interface ForeignTransfer {
  readonly state: 'FOREIGN';
  readonly record: TransferRecord;
}

/**
 * Continues a transfer from its record, in another tab, process or program. It searches the chain and the API first,
 * and resends only where a second transaction cannot be a second transfer. Before a window opens, the transfer is
 * checked as at its beginning. Without a click, resume only records that have begun: see `isBegun`.
 *
 * @param record the record, or its JSON.
 * @returns FOREIGN for an unconfirmed record unknown to the store; UNDECIDED if a wallet was asked and may still send.
 *   Nothing is sent in both cases.
 * @throws RecordError for a malformed, altered or outdated record, or one of a newer version or another bridge; and as
 *   `deposit`.
 */
export async function resume(
  bridge: Bridge,
  wallet: Wallet,
  record: unknown,
  options: ResumeOptions = {},
): Promise<SentTransfer | UndecidedTransfer | ForeignTransfer> {
  const limited = limitReads(wallet, bridge, options);
  const given = parseRecord(record);
  return withLock(given.id, async () => {
    const kept = await loadNewest(given, options);
    if (kept?.checksum !== given.checksum && options.confirmed !== true) return { state: 'FOREIGN', record: given };
    const config = await getConfig(bridge, options);
    assertBelongs(given, config);
    if (!isAddressEqual(wallet.account, given.sender)) throw new WrongAccountError(given.sender, wallet.account);
    await assertChain(limited, given.chainId);
    const journal = new Journal(given, options);
    const sendsAgain = options.sendAgain === true;
    const context = { bridge, wallet: limited, config, journal, options, isResumed: true, sendsAgain };
    try {
      await reviseMined(context);
      return await runSteps(context);
    } catch (error) {
      if (!(error instanceof UndecidedError)) throw error;
      return { state: 'UNDECIDED', record: journal.record, step: error.step, looks: error.looks };
    }
  });
}

/** @throws RecordError for a record of another bridge. */
function assertBelongs(record: TransferRecord, config: ConfigResponse): void {
  if (config.environment !== record.environment)
    throw new RecordError('environment', `is ${record.environment}, and this bridge is ${config.environment}`);
  const side = record.chainId === config.ethereum.chainId ? 'ethereum' : 'partner';
  const place = findPlace(config, side, record.asset);
  if (record.chainId !== place.chainId) throw new RecordError('chainId', 'is not of this bridge');
  for (const field of ['contract', 'token'] as const) {
    if (!isAddressEqual(record[field], place[field])) throw new RecordError(field, 'is not of this bridge');
  }
}

/** Loads the record from the store; null if there is none. */
async function loadNewest(given: TransferRecord, { store }: ResumeOptions): Promise<TransferRecord | null> {
  const kept = (await store?.load?.(given.id)) ?? null;
  if (kept !== null && kept.revision > given.revision)
    throw new RecordError('revision', `is ${given.revision}, and the store has ${kept.revision}`);
  return kept;
}

/** Marks mined and replaced transactions as sent if a reorg removed the block that shows it. */
async function reviseMined({ journal, wallet }: TransferContext): Promise<void> {
  for (const [index, step] of journal.record.steps.entries()) {
    if (step.step !== 'send' || (step.state !== 'done' && step.state !== 'failed')) continue;
    const next = journal.record.steps[index + 1]?.state;
    // The deposit may have used the approval.
    if (step.what === 'approval' && next !== 'planned' && next !== 'refused') continue;
    const { replacedBy, ...sent } = step;
    const mined = replacedBy ?? step.hash;
    if (mined !== undefined && (await readReceipt(wallet, mined)) === null)
      await journal.write<'send'>(index, { ...sent, state: 'sent' });
  }
}
