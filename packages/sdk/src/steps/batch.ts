import { numberToHex } from 'viem';
import { hasCode } from '../causes.js';
import { TransactionFailedError, UndecidedError, WalletRefusedError } from '../errors.js';
import { pause } from '../pause.js';
import { askWallet, assertUnchanged } from '../wallet/ask.js';
import { askNode, type NodeReceipt } from '../wallet/node.js';
import type { Wallet } from '../wallet/wallet.js';
import { writeCall } from './call.js';
import { choosePollMs, type TransferContext } from './context.js';
import { findOrigin, isOrigin } from './origin.js';
import { describeStep } from './words.js';

const MOST_LOOKS = 100_000;
/** The wallet knows no batch with this id (EIP-5792). */
const UNKNOWN_BUNDLE = 5730;
/** The wallet already has a batch with this id. */
const DUPLICATE_ID = 5720;

/** The answer of `wallet_getCallsStatus`. */
interface CallsStatus {
  /** 100: pending. 200: mined. 400 and above: failed. */
  readonly status: number;
  readonly receipts?: readonly NodeReceipt[];
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
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    const step = journal.step(index, 'batch');
    if (step.state === 'done') return;
    if (step.state === 'failed') throw describeFailure(context, index, step.hash);
    const status = step.state === 'asked' ? await readStatus(context, step.callsId) : null;
    if (status !== null && status.status >= 200) await end(context, index, status);
    // A wallet refuses a second batch with the same id.
    if (status === null && look === 1) await sendUnlessMined(context, index);
    await pause(choosePollMs(context), { signal: options.signal });
  }
  throw new UndecidedError(describeStep(journal.record, index), [{ at: 'the wallet', showed: 'that it still waits' }]);
}

async function sendUnlessMined(context: TransferContext, index: number): Promise<void> {
  const { journal, isResumed } = context;
  const { hash } = isResumed ? await findOrigin(context) : { hash: null };
  const step = journal.step(index, 'batch');
  if (hash === null) await send(context, index, step.callsId);
  else if (step.state === 'asked') await journal.write<'batch'>(index, { ...step, state: 'done', hash });
  else
    throw new UndecidedError(describeStep(journal.record, index), [
      { at: `transaction ${hash}`, showed: 'the same transfer, which this record does not know' },
    ]);
}

async function send(context: TransferContext, index: number, callsId: string): Promise<void> {
  const { journal, wallet, options } = context;
  const { record } = journal;
  const words = describeStep(record, index);
  await assertUnchanged(wallet, record.chainId, record.sender);
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
  await journal.write<'batch'>(index, { ...step, state: 'asked' });
  options.onStep?.(words);
  try {
    const ask = async () => wallet.request('wallet_sendCalls', [request]);
    const answer = await askWallet(words, ask, options.signal);
    // Some wallets choose their own id.
    const { id = callsId } = Object(answer) as { readonly id?: string };
    await journal.write<'batch'>(index, { ...step, state: 'asked', callsId: id });
  } catch (error) {
    if (hasCode(error, DUPLICATE_ID)) return;
    if (error instanceof WalletRefusedError) await journal.write<'batch'>(index, step);
    throw error;
  }
}

/** Reads the status of a batch; null if the wallet does not have it. */
async function readStatus({ wallet }: TransferContext, callsId: string): Promise<CallsStatus | null> {
  try {
    return (await askNode(wallet, 'wallet_getCallsStatus', [callsId])) as CallsStatus;
  } catch (error) {
    if (hasCode(error, UNKNOWN_BUNDLE)) return null;
    throw error;
  }
}

async function end(context: TransferContext, index: number, { status, receipts = [] }: CallsStatus): Promise<void> {
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
  if (status < 300 && hash === undefined) return;
  await journal.write<'batch'>(index, { ...step, state: 'failed', ...(hash === undefined ? {} : { hash }) });
  throw describeFailure(context, index, hash);
}

function describeFailure({ journal }: TransferContext, index: number, hash = ''): TransactionFailedError {
  const words = describeStep(journal.record, index);
  return new TransactionFailedError('REVERTED', hash, `${words}: the batch was mined and did nothing`);
}
