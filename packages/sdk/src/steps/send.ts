import type { TransferCall } from '@causeway/protocol';
import { isHash, numberToHex, type Hex } from 'viem';
import { findReason } from '../causes.js';
import { findInGas, MAX_GAS_FEE } from '../check/gas.js';
import { makeFinding } from '../check/planned-transfer.js';
import { CheckError, UndecidedError, UnreachableError, WalletFailedError, WalletRefusedError } from '../errors.js';
import { pause } from '../pause.js';
import { askWallet, assertUnchanged } from '../wallet/ask.js';
import { readNonce } from '../wallet/node.js';
import { isRefusal, isStandardRefusal } from '../wallet/refusals.js';
import type { Wallet, WalletTransaction } from '../wallet/wallet.js';
import { writeCall } from './call.js';
import { choosePollMs, findSide, LOOKS_PER_SEARCH, SEARCHES_UNTIL_LOST, type TransferContext } from './context.js';
import { toContractError } from './contract-error.js';
import { findMined, makesCall, readNonces, type AccountNonces } from './nonce.js';
import { assertPayable, assertReady } from './preconditions.js';
import { awaitReceipt, describeFailure } from './receipt.js';
import type { SendStep } from '../record/record.js';
import type { Search } from './origin.js';
import { findSent, hasFreshNonce, isApproved, isHarmless } from './search.js';
import { renewSignature } from './sign.js';
import { describeStep } from '../record/progress.js';

/** Maximum attempts for a transaction that gets lost each time. */
const MOST_SENDINGS = 3;
/** Gas limit of 1.3 times the estimate, because the state can change until the transaction is mined. */
const GAS_MARGIN = { numerator: 13n, denominator: 10n };
/** Maximum transactions of the account to search after a request. */
const MOST_TRANSACTIONS = 8;
/** Maximum multiple of the sufficient gas in the table of calls. */
const MOST_GAS_SHARE = 2n;

/** Sends the transaction of a step unless it was sent, and waits until it is mined. */
export async function runSend(context: TransferContext, index: number): Promise<void> {
  const { journal } = context;
  for (let sending = 1; sending <= MOST_SENDINGS; sending += 1) {
    const step = journal.step(index, 'send');
    if (step.state === 'done') return;
    if (step.state === 'failed') throw describeFailure(context, index);
    if (step.what === 'approval' && (await isApproved(context))) {
      await journal.write<'send'>(index, { ...step, state: 'done' });
      return;
    }
    if (step.state !== 'sent') await sendOrFind(context, index, step);
    const isKnown = journal.step(index, 'send').state === 'sent';
    if (isKnown && (await awaitReceipt(context, index).catch(rethrowAsSent))) return;
  }
  const looks = [{ at: 'the chain', showed: `${MOST_SENDINGS} transactions with one nonce were lost` }];
  throw new UndecidedError(describeStep(journal.record, index), looks);
}

/** Tells the user of a failed read that the transaction exists. */
function rethrowAsSent(error: unknown): never {
  if (error instanceof WalletFailedError || error instanceof UnreachableError)
    Object.assign(error, { nextStep: 'The transaction was sent. Continue this transfer in a minute.' });
  throw error;
}

async function sendOrFind(context: TransferContext, index: number, step: SendStep): Promise<void> {
  const { journal, sendsAgain, isResumed } = context;
  const wasAsked = step.state === 'asked';
  let searched: number | undefined;
  // Another copy of this record may have sent a step that this copy only plans.
  if (wasAsked || isResumed) {
    await awaitPending(context);
    const { hash, isComplete, looks, nonces } = await findAsked(context, step);
    searched = nonces;
    const undecided = (seen = looks) => new UndecidedError(describeStep(journal.record, index), seen);
    if (wasAsked && hash !== null) {
      await journal.write<'send'>(index, { ...step, state: 'sent', hash });
      return;
    }
    const mayRepeat = async () => (await isHarmless(context, step)) || (await hasFreshNonce(context, step));
    if ((wasAsked || !isComplete) && !(await mayRepeat())) throw undecided();
    if (hash !== null && !(sendsAgain && step.state === 'planned'))
      throw undecided([{ at: `transaction ${hash}`, showed: 'an equal transfer that is not in this record' }]);
  }
  try {
    await send(context, index, step, searched);
  } catch (error) {
    // A failed resend conflicts with the previous attempt, which the next search finds.
    const isConflict = error instanceof UndecidedError || error instanceof WalletFailedError;
    if (!wasAsked || !context.wallet.keepsNonce || !isConflict) throw error;
  }
}

/** @param searched number of the account's mined transactions at an earlier search for this one. */
async function send(context: TransferContext, index: number, step: SendStep, searched?: number): Promise<void> {
  const { journal, wallet, options } = context;
  if (step.what === 'transfer') await renewSignature(context);
  const { record } = journal;
  const words = describeStep(record, index);
  const call = writeCall(record, step);
  await assertReady(context);
  if (step.what === 'payment') await assertPayable(context);
  const transaction = await prepare(context, step, call, words);
  if (wallet.keepsNonce) assertGas(context, call, transaction);
  const { nonce } = transaction;
  const { signal } = options;
  // A key reuses its nonce, so that no error of its node can lead to a second transfer.
  const before = wallet.keepsNonce ? null : await readNonces(wallet);
  // The user may have confirmed an earlier request since the search.
  if (before !== null && searched !== undefined && before.pending > searched)
    throw new UndecidedError(words, [{ at: 'the account', showed: 'another transaction since the search' }]);
  const asked: SendStep = {
    step: 'send',
    what: step.what,
    state: 'asked',
    ...(nonce === undefined ? {} : { nonce }),
    // Earlier attempts can still be in the wallet.
    ...(before === null ? {} : { nonceBefore: step.nonceBefore ?? before.mined }),
  };
  // During the check and the estimate, the user can switch the chain or account.
  await assertUnchanged(wallet, record.chainId, record.sender);
  signal?.throwIfAborted();
  await journal.write<'send'>(index, asked);
  // The user has decided about the earlier attempts.
  context.sendsAgain = false;
  const isRefused = async (error: unknown) => isCertainRefusal(wallet, error, before);
  try {
    const hash = await askWallet(words, async () => wallet.sendTransaction(transaction), { signal, isRefused });
    if (!isHash(hash)) throw new WalletFailedError(words, new Error(`it answered no hash: ${JSON.stringify(hash)}`));
    await journal.write<'send'>(index, { ...asked, state: 'sent', hash });
  } catch (error) {
    if (error instanceof WalletFailedError)
      throw new UndecidedError(words, [{ at: 'the wallet', showed: findReason(error.cause) }], error);
    // A refusal is certain but says nothing about earlier attempts.
    if (error instanceof WalletRefusedError)
      await journal.write<'send'>(index, step.state === 'asked' ? step : { ...asked, state: 'refused' });
    throw error;
  }
}

/**
 * Returns whether an error proves that no transaction was sent: it is a refusal, and the account's nonces are
 * unchanged. For an account with code these prove nothing, and only the standard's code counts.
 */
async function isCertainRefusal(wallet: Wallet, error: unknown, before: AccountNonces | null): Promise<boolean> {
  if (before === null) return isStandardRefusal(error);
  if (!isRefusal(error)) return false;
  const now = await readNonces(wallet).catch(() => null);
  return now !== null && now.mined === before.mined && now.pending === before.pending;
}

/**
 * Searches for a transaction that the wallet may have sent: by its event, then among the account's since the request.
 *
 * @returns also the number of the account's transactions, if they were searched.
 */
async function findAsked(context: TransferContext, step: SendStep): Promise<Search & { readonly nonces?: number }> {
  const { wallet, journal } = context;
  const found = await findSent(context, step);
  if (found.hash !== null || step.nonceBefore === undefined || step.what === 'approval') return found;
  const nonces = await readNonce(wallet, 'latest');
  const call = writeCall(journal.record, step);
  for (let nonce = step.nonceBefore; nonce < Math.min(nonces, step.nonceBefore + MOST_TRANSACTIONS); nonce += 1) {
    const mined = await findMined(wallet, nonce, BigInt(journal.record.fromBlock));
    if (mined !== null && makesCall(mined, call)) return { ...found, hash: mined.hash };
  }
  return { ...found, nonces };
}

/** Waits for a minute while the account has a pending transaction, which may be the one searched for. */
async function awaitPending(context: TransferContext): Promise<void> {
  const { wallet, options } = context;
  for (let look = 1; look <= LOOKS_PER_SEARCH * SEARCHES_UNTIL_LOST; look += 1) {
    const [mined, known] = await Promise.all([readNonce(wallet, 'latest'), readNonce(wallet, 'pending')]);
    if (known <= mined) return;
    await pause(choosePollMs(context), { signal: options.signal });
  }
}

/**
 * Sets the gas limit of a transaction and, for wallets with `keepsNonce`, the nonce: that of an earlier attempt, or the
 * next. Where only the nonce prevents a second transfer it is reused even if a block already has it: the node then
 * refuses the transaction. A failing call is refused here, before the wallet is asked.
 */
async function prepare(
  context: TransferContext,
  step: SendStep,
  { to, data, value }: TransferCall,
  words: string,
): Promise<WalletTransaction> {
  const { wallet, journal, options } = context;
  const { chainId, sender } = journal.record;
  const isKept =
    wallet.keepsNonce &&
    step.nonce !== undefined &&
    ((await hasFreshNonce(context, step)) || !(await isHarmless(context, step)));
  const planned = { chainId, to, data, value, ...(isKept ? { nonce: step.nonce } : {}) };
  try {
    const prepared = (await wallet.prepareTransaction?.(planned)) ?? {
      ...planned,
      gas: BigInt(
        (await wallet.request('eth_estimateGas', [{ from: sender, to, data, value: numberToHex(value) }])) as Hex,
      ),
      ...(wallet.keepsNonce && !isKept ? { nonce: await readNonce(wallet, 'pending') } : {}),
    };
    return { ...prepared, gas: (prepared.gas * GAS_MARGIN.numerator) / GAS_MARGIN.denominator };
  } catch (error) {
    options.signal?.throwIfAborted();
    throw toContractError(error, words);
  }
}

/**
 * Verifies that gas and fee of a key's transaction are plausible, since the node proposed both.
 *
 * @throws CheckError
 */
function assertGas(context: TransferContext, call: TransferCall, transaction: WalletTransaction): void {
  const { journal, options } = context;
  const { gas, maxFeePerGas, gasPrice } = transaction;
  const sendings = BigInt(journal.record.steps.filter(({ step }) => step === 'send').length);
  const side = findSide(context);
  const maxGasFee = (options.maxGasFee ?? MAX_GAS_FEE[side]) / sendings;
  const highest = MOST_GAS_SHARE * call.gas;
  const found = [
    ...(gas > highest
      ? [
          makeFinding('GAS_TOO_HIGH', 'sender', {
            message: `The node asks for a gas limit of ${gas}, and this call takes less than ${highest}.`,
            nextStep: 'Choose another node for the wallet.',
          }),
        ]
      : []),
    ...findInGas({ side, fee: gas * (maxFeePerGas ?? gasPrice ?? 0n), maxGasFee }),
  ];
  if (found.length > 0) throw new CheckError(found);
}
