import { isAddressEqual } from 'viem';
import { TransactionFailedError, UndecidedError } from '../errors.js';
import { pause } from '../pause.js';
import { assertChain } from '../wallet/ask.js';
import { readNonce, readReceipt, readTransaction } from '../wallet/node.js';
import { choosePollMs, type TransferContext } from './context.js';
import { isOrigin } from './origin.js';
import { findSent } from './search.js';
import { describeStep } from './words.js';

/** Polls for the receipt before the transaction itself is searched. */
const LOOKS_PER_SEARCH = 5;
/** Consecutive failed searches after which a transaction counts as lost. */
const SEARCHES_UNTIL_LOST = 3;
/** More than a day of polling. */
const MOST_LOOKS = 100_000;

/**
 * Waits until the transaction of a step, or its replacement, is mined.
 *
 * @returns true if mined; false if it is lost and can be sent again.
 * @throws TransactionFailedError if it reverted or another transaction used its nonce; UndecidedError if no node has it
 *   and the wallet may still send it; WrongNetworkError if the wallet left the chain.
 */
export async function awaitReceipt(context: TransferContext, index: number): Promise<boolean> {
  const { journal, options, wallet } = context;
  let unseen = 0;
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    const step = journal.step(index, 'send');
    const receipt = step.hash === undefined ? null : await readReceipt(wallet, step.hash);
    if (receipt !== null) {
      const begins = step.what !== 'transfer' || receipt.logs.some((log) => isOrigin(journal.record, log));
      if (BigInt(receipt.status) === 1n && begins) {
        await journal.write<'send'>(index, { ...step, state: 'done' });
        return true;
      }
      // If one authorization is sent twice, the later transaction reverts.
      const { hash } = await findSent(context, step);
      if (hash === null || hash === step.hash) await fail(context, index, 'REVERTED');
      else await journal.write<'send'>(index, { ...step, hash });
    }
    if (look % LOOKS_PER_SEARCH === 0) {
      await assertChain(wallet, journal.record.chainId);
      unseen = (await isSeen(context, index)) ? 0 : unseen + 1;
      if (unseen === SEARCHES_UNTIL_LOST && (await giveUp(context, index))) return false;
    }
    await pause(choosePollMs(context), { signal: options.signal });
  }
  throw new UndecidedError(describeStep(journal.record, index), [{ at: 'the chain', showed: 'that it still waits' }]);
}

/** Returns whether a node has the transaction or its replacement, whose hash is then adopted. */
async function isSeen(context: TransferContext, index: number): Promise<boolean> {
  const { journal, wallet } = context;
  const step = journal.step(index, 'send');
  const transaction = step.hash === undefined ? null : await readTransaction(wallet, step.hash);
  if (transaction !== null) {
    // A smart account's transaction has the nonce of another account.
    if (step.nonce === undefined && isAddressEqual(transaction.from, journal.record.sender))
      await journal.write<'send'>(index, { ...step, nonce: Number(transaction.nonce) });
    return true;
  }
  const { hash } = await findSent(context, step);
  if (hash !== null) await journal.write<'send'>(index, { ...step, hash });
  return hash !== null;
}

/** @returns whether the step can be sent again; if not, waiting continues. */
async function giveUp(context: TransferContext, index: number): Promise<boolean> {
  const { journal, wallet, isResumed, sendsAgain } = context;
  const step = journal.step(index, 'send');
  const isReplaced = step.nonce !== undefined && (await readNonce(wallet, 'latest')) > step.nonce;
  if (isReplaced && step.what === 'transfer') await fail(context, index, 'REPLACED');
  // The allowance shows whether an approval was replaced by another. For a payment only the API shows it, later.
  const isRepeatable = isReplaced ? step.what === 'approval' : wallet.keepsNonce && step.nonce !== undefined;
  if (isRepeatable || sendsAgain) {
    const { what, nonce } = step;
    await journal.write<'send'>(index, {
      step: 'send',
      what,
      state: 'asked',
      ...(nonce === undefined ? {} : { nonce }),
    });
    return true;
  }
  // A new transfer keeps waiting: a smart account may collect signatures for hours.
  if (!isResumed && !isReplaced) return false;
  throw new UndecidedError(describeStep(journal.record, index), [
    { at: `transaction ${step.hash}`, showed: 'that no node has it' },
  ]);
}

async function fail(context: TransferContext, index: number, reason: 'REVERTED' | 'REPLACED'): Promise<never> {
  const { journal } = context;
  const step = journal.step(index, 'send');
  await journal.write<'send'>(index, { ...step, state: 'failed' });
  throw describeFailure(context, index, reason);
}

/** Builds the error of a failed step. */
export function describeFailure(
  { journal }: TransferContext,
  index: number,
  reason: 'REVERTED' | 'REPLACED' = 'REVERTED',
): TransactionFailedError {
  const { hash = '' } = journal.step(index, 'send');
  const words = reason === 'REVERTED' ? 'was mined and did nothing' : 'was replaced by another one of the same nonce';
  return new TransactionFailedError(
    reason,
    hash,
    `${describeStep(journal.record, index)}: transaction ${hash} ${words}`,
  );
}
