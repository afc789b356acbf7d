import { numberToHex, type Hex } from 'viem';
import { UndecidedError, WalletFailedError, WalletRefusedError } from '../errors.js';
import { pause } from '../pause.js';
import { askWallet, assertWallet } from '../wallet/ask.js';
import { readNonce } from '../wallet/node.js';
import { writeCall } from './call.js';
import { choosePollMs, type TransferContext } from './context.js';
import { toContractError } from './contract-error.js';
import { assertPayable } from './payable.js';
import { awaitReceipt, describeFailure } from './receipt.js';
import type { SendStep } from '../record/record.js';
import { findSent, hasFreshNonce, isApproved, isRepeatable } from './search.js';
import { describeStep } from './words.js';

/** Sendings of a transaction that is lost each time. */
const MOST_SENDINGS = 3;
/** Afterwards the search decides. */
const MOST_LOOKS_AT_NONCE = 100;
/** A limit of 1.3 times the estimate: the state may change until the transaction is mined. */
const GAS_MARGIN = { numerator: 13n, denominator: 10n };

/** Sends the transaction of a step, unless it was sent, and waits until it is mined. */
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
    // A repeated sending that fails has met the one before it: the next search finds that.
    const isKnown = journal.step(index, 'send').state === 'sent';
    if (isKnown && (await awaitReceipt(context, index))) return;
  }
  const looks = [{ at: 'the chain', showed: `that ${MOST_SENDINGS} transactions of one nonce were lost` }];
  throw new UndecidedError(describeStep(journal.record, index), looks);
}

async function sendOrFind(context: TransferContext, index: number, step: SendStep): Promise<void> {
  const { journal, sendsAgain, isNewest } = context;
  const wasAsked = step.state === 'asked';
  if (wasAsked || !isNewest) {
    if (wasAsked) await awaitWaiting(context);
    const { hash, looks } = await findSent(context, step);
    const undecided = (seen = looks) => new UndecidedError(describeStep(journal.record, index), seen);
    if (wasAsked && hash !== null) {
      await journal.write<'send'>(index, { ...step, state: 'sent', hash });
      return;
    }
    if (wasAsked && !(await isRepeatable(context, step))) throw undecided();
    // A newer copy of this record may have sent it.
    if (hash !== null && !sendsAgain)
      throw undecided([{ at: `transaction ${hash}`, showed: 'the same transfer, which this record does not know' }]);
  }
  await send(context, index, step);
}

async function send(context: TransferContext, index: number, step: SendStep): Promise<void> {
  const { journal, wallet, options } = context;
  const { record } = journal;
  const words = describeStep(record, index);
  await assertWallet(wallet, record.chainId, record.sender);
  if (step.what === 'payment') await assertPayable(context);
  const call = writeCall(record, step);
  const gas = await estimateGas(context, call, words);
  const nonce = await chooseNonce(context, step);
  const asked: SendStep = { step: 'send', what: step.what, state: 'asked', ...(nonce === undefined ? {} : { nonce }) };
  await journal.write<'send'>(index, asked);
  options.onStep?.(words);
  const { to, data, value } = call;
  const transaction = { chainId: record.chainId, to, data, value, gas, ...(nonce === undefined ? {} : { nonce }) };
  let hash: Hex;
  try {
    hash = await askWallet(words, async () => wallet.sendTransaction(transaction));
  } catch (error) {
    // A refusal is certain: the next attempt begins as if nothing was asked.
    if (error instanceof WalletRefusedError) await journal.write<'send'>(index, { ...step, state: 'planned' });
    if (error instanceof WalletFailedError && step.state === 'asked' && wallet.keepsNonce) return;
    throw error;
  }
  await journal.write<'send'>(index, { ...asked, state: 'sent', hash });
}

/** Waits while the node has a transaction of the account that no block has: it may be the one that is looked for. */
async function awaitWaiting(context: TransferContext): Promise<void> {
  const { wallet, options } = context;
  for (let look = 1; look <= MOST_LOOKS_AT_NONCE; look += 1) {
    const [mined, known] = await Promise.all([readNonce(wallet, 'latest'), readNonce(wallet, 'pending')]);
    if (known <= mined) return;
    await pause(choosePollMs(context), { signal: options.signal });
  }
}

/** The nonce of a sending before, while no block has it, or the next one; none for wallets that choose their own. */
async function chooseNonce(context: TransferContext, step: SendStep): Promise<number | undefined> {
  if (!context.wallet.keepsNonce) return undefined;
  if (await hasFreshNonce(context, step)) return step.nonce;
  return readNonce(context.wallet, 'pending');
}

/** The gas limit of a call. A call that fails is refused here, before the wallet is asked. */
async function estimateGas(
  { wallet, journal }: TransferContext,
  { to, data, value }: { readonly to: Hex; readonly data: Hex; readonly value: bigint },
  words: string,
): Promise<bigint> {
  const call = { from: journal.record.sender, to, data, value: numberToHex(value) };
  try {
    const estimate = BigInt((await wallet.request('eth_estimateGas', [call])) as Hex);
    return (estimate * GAS_MARGIN.numerator) / GAS_MARGIN.denominator;
  } catch (error) {
    throw toContractError(error, words);
  }
}
