import { isAddressEqual, type Hex } from 'viem';
import { readAccount } from '../check/account-state.js';
import { TransactionFailedError, UndecidedError } from '../errors.js';
import { pause } from '../pause.js';
import { describeStep } from '../record/progress.js';
import { assertChain } from '../wallet/ask.js';
import { readNonce, readReceipt, readTransaction } from '../wallet/node.js';
import { writeCall } from './call.js';
import { choosePollMs, LOOKS_PER_SEARCH, SEARCHES_UNTIL_LOST, type TransferContext } from './context.js';
import { findMined, hasCode, makesCall } from './nonce.js';
import { isOrigin } from './origin.js';
import { findSent, isApproved } from './search.js';

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
      // After a switch, the wallet shows transactions of the other chain.
      if (!wallet.keepsNonce) await assertChain(wallet, journal.record.chainId);
      const begins = step.what !== 'transfer' || receipt.logs.some((log) => isOrigin(journal.record, log));
      const hasReverted = BigInt(receipt.status) !== 1n;
      if (!hasReverted && begins) {
        await journal.write<'send'>(index, { ...step, state: 'done' });
        return true;
      }
      // If one authorization is sent twice, the later transaction reverts.
      await adoptNonce(context, index);
      const reverted = journal.step(index, 'send');
      const { hash } = await findSent(context, reverted);
      if (hash !== null && hash !== reverted.hash) await journal.write<'send'>(index, { ...reverted, hash });
      else if (hasReverted) await fail(context, index);
      else if (!context.sendsAgain) throw undecided(context, index, 'success, but not this transfer');
      else {
        await lose(context, index);
        return false;
      }
    } else await adoptNonce(context, index);
    if (look % LOOKS_PER_SEARCH === 0) {
      await assertChain(wallet, journal.record.chainId);
      unseen = (await isSeen(context, index)) ? 0 : unseen + 1;
      if (unseen === SEARCHES_UNTIL_LOST && (await giveUp(context, index))) return false;
    }
    await pause(choosePollMs(context), { signal: options.signal });
  }
  throw undecided(context, index, 'still pending');
}

function undecided({ journal }: TransferContext, index: number, showed: string): UndecidedError {
  const { hash } = journal.step(index, 'send');
  return new UndecidedError(describeStep(journal.record, index), [{ at: `transaction ${hash}`, showed }]);
}

/** Records the nonce of a transaction when a node has it: after a cancellation, the nonce is its only trace. */
async function adoptNonce({ journal, wallet }: TransferContext, index: number): Promise<void> {
  const step = journal.step(index, 'send');
  if (step.nonce !== undefined || step.hash === undefined) return;
  const transaction = await readTransaction(wallet, step.hash);
  // A smart account's transaction has the nonce of another account.
  if (transaction !== null && isAddressEqual(transaction.from, journal.record.sender))
    await journal.write<'send'>(index, { ...step, nonce: Number(transaction.nonce) });
}

/**
 * Returns whether the transaction is pending, or its replacement mined, whose hash is then adopted.
 *
 * @throws TransactionFailedError REPLACED if a mined transaction with its nonce is not this transfer.
 */
async function isSeen(context: TransferContext, index: number): Promise<boolean> {
  const { journal, wallet } = context;
  const step = journal.step(index, 'send');
  const isUsed = await hasUsedNonce(context, index);
  if (!isUsed && step.hash !== undefined && (await readTransaction(wallet, step.hash)) !== null) return true;
  const { hash } = await findSent(context, step);
  const found = hash ?? (isUsed ? await findReplacement(context, index) : null);
  if (found !== null && found !== step.hash) await journal.write<'send'>(index, { ...step, hash: found });
  return found !== null;
}

/** Returns whether a block has a transaction with the nonce of a step. */
async function hasUsedNonce({ journal, wallet }: TransferContext, index: number): Promise<boolean> {
  const { nonce } = journal.step(index, 'send');
  return nonce !== undefined && (await readNonce(wallet, 'latest')) > nonce;
}

/** Finds the mined transaction with the nonce of a step, if it makes the same call; null if none is found. */
async function findReplacement(context: TransferContext, index: number): Promise<Hex | null> {
  const { journal, wallet } = context;
  const step = journal.step(index, 'send');
  if (step.nonce === undefined || (await hasCode(wallet))) return null;
  const mined = await findMined(wallet, step.nonce, BigInt(journal.record.fromBlock));
  if (mined === null) return null;
  const isOurs = mined.hash === step.hash || makesCall(mined, writeCall(journal.record, step));
  // A wallet can replace an approval by one of another amount.
  if (!isOurs && !(step.what === 'approval' && (await isApproved(context)))) {
    // Another chain has another transaction with this nonce.
    await assertChain(wallet, journal.record.chainId);
    await fail(context, index, mined.hash);
  }
  return isOurs ? mined.hash : null;
}

/** @returns whether the step can be sent again; if not, waiting continues. */
async function giveUp(context: TransferContext, index: number): Promise<boolean> {
  const { journal, wallet, isResumed, sendsAgain } = context;
  const step = journal.step(index, 'send');
  const isUsed = await hasUsedNonce(context, index);
  const isRepeatable = isUsed ? step.what === 'approval' : wallet.keepsNonce && step.nonce !== undefined;
  if (isRepeatable || sendsAgain) {
    await lose(context, index);
    return true;
  }
  // A smart account may collect signatures for hours; an EOA that delegates to a contract does not.
  if (!isResumed && !isUsed && (await readAccount(wallet)).isContract) return false;
  throw undecided(context, index, isUsed ? 'another transaction used its nonce' : 'no node has it');
}

/** Records that the transaction of a step is lost, and can be sent again. */
async function lose({ journal }: TransferContext, index: number): Promise<void> {
  const { hash: _, ...lost } = journal.step(index, 'send');
  await journal.write<'send'>(index, { ...lost, state: 'asked' });
}

/** Records that a transaction reverted or, with `replacedBy`, was replaced. */
async function fail(context: TransferContext, index: number, replacedBy?: Hex): Promise<never> {
  const { journal } = context;
  const step = journal.step(index, 'send');
  await journal.write<'send'>(index, { ...step, state: 'failed', ...(replacedBy === undefined ? {} : { replacedBy }) });
  throw describeFailure(context, index);
}

/** Builds the error of a failed step. */
export function describeFailure({ journal }: TransferContext, index: number): TransactionFailedError {
  const { hash = '0x', replacedBy } = journal.step(index, 'send');
  const words = replacedBy === undefined ? 'was mined and did nothing' : `was replaced by ${replacedBy}`;
  const message = `${describeStep(journal.record, index)}: transaction ${hash} ${words}`;
  return new TransactionFailedError(replacedBy === undefined ? 'REVERTED' : 'REPLACED', hash, message, replacedBy);
}
