import { isAddressEqual, recoverTypedDataAddress } from 'viem';
import { INTENT_WINDOW_SECONDS } from '@causeway/protocol';
import { IntentUnpayableError, WalletRefusedError, WrongAccountError } from '../errors.js';
import { askWallet } from '../wallet/ask.js';
import { readNewestBlock } from '../wallet/node.js';
import { writeTypedData } from './call.js';
import type { NewestBlock } from '../wallet/node.js';
import type { TransferContext } from './context.js';
import type { SignStep } from '../record/record.js';
import { assertReady } from './preconditions.js';
import { describeStep } from '../record/progress.js';

/** A signature that expires within this time is requested again. */
const MARGIN_SECONDS = 60;
/** The largest error of this machine's clock that a block corrects. */
const MOST_SKEW_SECONDS = 7_200;

/** Returns the deadline of a signature made now, in Unix seconds. */
export function chooseDeadline(block: Pick<NewestBlock, 'timestamp'>): number {
  return computeNow(block) + INTENT_WINDOW_SECONDS;
}

/**
 * Returns Unix seconds by the later of two clocks: a slow one would set deadlines that the chain considers expired. A
 * node that lies about the time must not get a signature that is valid for long.
 */
function computeNow({ timestamp }: Pick<NewestBlock, 'timestamp'>): number {
  const own = Math.floor(Date.now() / 1_000);
  const ahead = Number(timestamp) - own;
  return ahead > 0 && ahead <= MOST_SKEW_SECONDS ? own + ahead : own;
}

/** Requests the signature of a step. Steps that use the signature renew it. */
export async function runSign(context: TransferContext, index: number): Promise<void> {
  if (context.journal.step(index, 'sign').state !== 'done') await renewSignature(context);
}

/**
 * Requests the signature of a transfer that has a signature step, unless it has one that is valid for a minute. Signing
 * again is harmless: a token accepts an authorization or permit of a nonce once, and an unpaid intent pays nothing.
 */
export async function renewSignature(context: TransferContext): Promise<void> {
  const { journal, wallet, options } = context;
  const { record } = journal;
  const index = record.steps.findIndex(({ step }) => step === 'sign');
  if (index === -1) return;
  const step = journal.step(index, 'sign');
  const block = await readNewestBlock(wallet);
  const isStale = step.deadline < computeNow(block) + MARGIN_SECONDS;
  if (isStale && step.what === 'intent') throw new IntentUnpayableError('EXPIRED', 'This intent has expired');
  if (step.state === 'done' && !isStale) return;
  await assertReady(context);
  // An intent keeps its deadline, so that all copies of a record have the same intent id.
  const deadline = step.what === 'intent' ? step.deadline : chooseDeadline(block);
  const { what, domain, nonce } = step;
  const asked: SignStep = { step: 'sign', what, state: 'asked', domain, nonce, deadline };
  await journal.write<'sign'>(index, asked);
  const words = describeStep(record, index);
  const typedData = writeTypedData(record, asked);
  const { signal } = options;
  const signature = await askWallet(words, async () => wallet.signTypedData(typedData), { signal }).catch(
    async (error: unknown) => {
      if (error instanceof WalletRefusedError) await journal.write<'sign'>(index, { ...asked, state: 'refused' });
      throw error;
    },
  );
  if (asked.what !== 'intent') {
    // Tokens accept only EOAs. This detects a wallet that switched accounts before anything is sent.
    const signer = await askWallet(words, async () => recoverTypedDataAddress({ ...typedData, signature }));
    if (!isAddressEqual(signer, record.sender)) throw new WrongAccountError(record.sender, signer);
  }
  await journal.write<'sign'>(index, { ...asked, state: 'done', signature });
}
