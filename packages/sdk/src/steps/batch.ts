import { numberToHex, type Hex } from 'viem';
import { findReason, hasCode } from '../causes.js';
import { TransactionFailedError, UndecidedError, WalletFailedError, WalletRefusedError } from '../errors.js';
import { pause } from '../pause.js';
import { describeStep } from '../record/progress.js';
import { askWallet } from '../wallet/ask.js';
import { askNode, type NodeReceipt } from '../wallet/node.js';
import { isStandardRefusal } from '../wallet/refusals.js';
import type { Wallet } from '../wallet/wallet.js';
import { writeCall } from './call.js';
import { choosePollMs, LOOKS_PER_SEARCH, SEARCHES_UNTIL_LOST, type TransferContext } from './context.js';
import { findOrigin, isOrigin, type Search } from './origin.js';
import { assertReady } from './preconditions.js';

const MOST_LOOKS = 100_000;
/** The wallet knows no batch with this id (EIP-5792). */
const UNKNOWN_BUNDLE = 5730;
/** The wallet already has a batch with this id. */
const DUPLICATE_ID = 5720;

/** The state of a batch in its wallet. `unclear`: the answer has no known form. */
interface CallsStatus {
  readonly state: 'unknown' | 'unclear' | 'pending' | 'mined' | 'failed';
  readonly receipts: readonly NodeReceipt[];
}

/** Returns whether a wallet sends several calls as one transaction on a chain (EIP-5792). */
export async function sendsBatches(wallet: Wallet, chainId: number): Promise<boolean> {
  if (wallet.keepsNonce) return false;
  const chain = numberToHex(chainId);
  try {
    const answer = await wallet.request('wallet_getCapabilities', [wallet.account, [chain]]);
    const { atomic } = (answer as Readonly<Record<string, { atomic?: { status?: string } } | undefined>>)[chain] ?? {};
    // With `ready` the user would first have to upgrade to a smart account; two transactions work as well.
    return atomic?.status === 'supported';
  } catch {
    // The wallet does not support the method.
    return false;
  }
}

/** Sends approval and deposit as one batch and waits until it is mined. */
export async function runBatch(context: TransferContext, index: number): Promise<void> {
  const { journal, options } = context;
  const describe = (showed: string) =>
    new UndecidedError(describeStep(journal.record, index), [{ at: WALLET, showed }]);
  const sends = await isUnsent(context, index);
  if (sends) await sendUnlessMined(context, index);
  for (let [look, unknown] = [0, 0]; look < MOST_LOOKS; look += 1) {
    const step = journal.step(index, 'batch');
    if (step.state === 'done') return;
    if (step.state === 'failed') throw describeFailure(context, index, step.hash);
    const { state, receipts } = await readStatus(context, step.callsId);
    if (state === 'mined' || state === 'failed') await end(context, index, state, receipts);
    else if (state !== 'pending' && look % LOOKS_PER_SEARCH === 0) {
      const { hash } = await findOrigin(context);
      if (hash !== null) await journal.write<'batch'>(index, { ...step, state: 'done', hash });
      else unknown += 1;
      // A wallet that chooses its own ids does not know this one, although its window may be open.
      if (unknown > (sends || state === 'unclear' ? SEARCHES_UNTIL_LOST : 0))
        throw describe(state === 'unclear' ? 'no status of this batch' : 'no such batch');
    }
    await pause(choosePollMs(context), { signal: options.signal });
  }
  throw describe('still pending');
}

const WALLET = 'the wallet';
const NOTHING_SENT: Search = { hash: null, isComplete: true, looks: [] };

/** Returns whether a batch can be sent: the wallet was not asked, or the user resends one that it does not have. */
async function isUnsent(context: TransferContext, index: number): Promise<boolean> {
  const { state, callsId } = context.journal.step(index, 'batch');
  if (state !== 'asked' && state !== 'sent') return state === 'planned' || state === 'refused';
  return context.sendsAgain && ['unknown', 'unclear'].includes((await readStatus(context, callsId)).state);
}

async function sendUnlessMined(context: TransferContext, index: number): Promise<void> {
  const { journal, isResumed, sendsAgain } = context;
  const step = journal.step(index, 'batch');
  const { hash, isComplete, looks } = isResumed ? await findOrigin(context) : NOTHING_SENT;
  const wasAsked = step.state === 'asked' || step.state === 'sent';
  if (hash !== null && wasAsked) await journal.write<'batch'>(index, { ...step, state: 'done', hash });
  else if (hash !== null && !(sendsAgain && step.state === 'planned'))
    throw new UndecidedError(describeStep(journal.record, index), [
      { at: `transaction ${hash}`, showed: 'an equal transfer that is not in this record' },
    ]);
  else if (!isComplete && !sendsAgain) throw new UndecidedError(describeStep(journal.record, index), looks);
  else await send(context, index, step.callsId);
}

async function send(context: TransferContext, index: number, callsId: string): Promise<void> {
  const { journal, wallet, options } = context;
  const { record } = journal;
  const words = describeStep(record, index);
  await assertReady(context);
  const calls = [writeCall(record, { what: 'approval' }), writeCall(record, { what: 'transfer' })];
  const request = {
    version: '2.0.0',
    id: callsId,
    chainId: numberToHex(record.chainId),
    from: record.sender,
    atomicRequired: true,
    calls: calls.map(({ to, data, value }) => ({ to, data, value: numberToHex(value) })),
  };
  const step = journal.step(index, 'batch');
  const wasAsked = step.state === 'asked' || step.state === 'sent';
  await journal.write<'batch'>(index, { ...step, state: 'asked' });
  // The user has decided about the earlier attempts.
  context.sendsAgain = false;
  const { signal } = options;
  const ask = async () => wallet.request('wallet_sendCalls', [request]);
  try {
    const answer = await askWallet(words, ask, { signal, isRefused: (error) => isStandardRefusal(error, true) });
    // Some wallets choose their own id, which the first version of EIP-5792 returns as text.
    const id: unknown = typeof answer === 'string' ? answer : Object(answer).id;
    await journal.write<'batch'>(index, { ...step, state: 'sent', callsId: typeof id === 'string' ? id : callsId });
  } catch (error) {
    if (hasCode(error, DUPLICATE_ID)) return;
    if (error instanceof WalletFailedError)
      throw new UndecidedError(words, [{ at: WALLET, showed: findReason(error.cause) }], error);
    // A refusal is certain but says nothing about earlier attempts.
    if (error instanceof WalletRefusedError)
      await journal.write<'batch'>(index, wasAsked ? step : { ...step, state: 'refused' });
    throw error;
  }
}

/** States by the first digit of the status code. */
const STATES: Readonly<Record<number, CallsStatus['state']>> = {
  1: 'pending',
  2: 'mined',
  4: 'failed',
  5: 'failed',
  6: 'failed',
};

/** Interprets a status code of EIP-5792, or a word of its first version. */
function judgeStatus(status: unknown): CallsStatus['state'] {
  if (status === 'PENDING') return 'pending';
  if (status === 'CONFIRMED') return 'mined';
  if (typeof status !== 'number') return 'unclear';
  return STATES[Math.floor(status / 100)] ?? 'unclear';
}

/** Reads the status of a batch. If it is unclear, the chain decides. */
async function readStatus({ wallet }: TransferContext, callsId: string): Promise<CallsStatus> {
  try {
    const answer = await askNode(wallet, 'wallet_getCallsStatus', [callsId]);
    const { status, receipts } = Object(answer) as { readonly status?: unknown; readonly receipts?: unknown };
    return { state: judgeStatus(status), receipts: Array.isArray(receipts) ? (receipts as NodeReceipt[]) : [] };
  } catch (error) {
    return { state: hasCode(error, UNKNOWN_BUNDLE) ? 'unknown' : 'unclear', receipts: [] };
  }
}

async function end(
  context: TransferContext,
  index: number,
  state: 'mined' | 'failed',
  receipts: readonly NodeReceipt[],
): Promise<void> {
  const { journal } = context;
  const step = journal.step(index, 'batch');
  const begun = receipts.find(({ logs }) => logs.some((log) => isOrigin(journal.record, log)));
  const found = begun?.transactionHash ?? (await findOrigin(context)).hash;
  if (found !== null) {
    await journal.write<'batch'>(index, { ...step, state: 'done', hash: found });
    return;
  }
  const hash = receipts.at(-1)?.transactionHash;
  // Mined, but neither the wallet nor the node has the receipts yet.
  if (state === 'mined' && hash === undefined) return;
  await journal.write<'batch'>(index, { ...step, state: 'failed', ...(hash === undefined ? {} : { hash }) });
  throw describeFailure(context, index, hash);
}

function describeFailure({ journal }: TransferContext, index: number, hash: Hex = '0x'): TransactionFailedError {
  const words = hash === '0x' ? 'the wallet dropped the batch' : 'the batch was mined and did nothing';
  return new TransactionFailedError('REVERTED', hash, `${describeStep(journal.record, index)}: ${words}`);
}
