import { isAddressEqual, recoverTypedDataAddress } from 'viem';
import { INTENT_WINDOW_SECONDS } from '@causeway/protocol';
import { IntentUnpayableError, WrongAccountError } from '../errors.js';
import { askWallet, assertUnchanged } from '../wallet/ask.js';
import { writeTypedData } from './call.js';
import type { TransferContext } from './context.js';
import type { SignStep } from '../record/record.js';
import { describeStep } from './words.js';

/** A signature is asked for again when it would expire within this time. */
const MARGIN_SECONDS = 60;

/** The time until which a signature of now holds, in Unix seconds. */
export function chooseDeadline(): number {
  return Math.floor(Date.now() / 1_000) + INTENT_WINDOW_SECONDS;
}

/**
 * Asks for the signature of a step. Signing again is harmless: a token takes one authorization of a nonce and one
 * permit, and an unpaid intent pays nothing.
 */
export async function runSign(context: TransferContext, index: number): Promise<void> {
  const { journal, wallet, options } = context;
  const { record } = journal;
  const step = journal.step(index, 'sign');
  if (isStale(context, step) && step.what === 'intent')
    throw new IntentUnpayableError('EXPIRED', 'The time of this intent is over');
  if (step.state === 'done' && !isStale(context, step)) return;
  await assertUnchanged(wallet, record.chainId, record.sender);
  // An intent keeps its deadline, so that all copies of a record are one intent.
  const deadline = step.what === 'intent' ? step.deadline : chooseDeadline();
  const { what, domain, nonce } = step;
  const asked: SignStep = { step: 'sign', what, state: 'asked', domain, nonce, deadline };
  await journal.write<'sign'>(index, asked);
  const words = describeStep(record, index);
  options.onStep?.(words);
  const typedData = writeTypedData(record, asked);
  const signature = await askWallet(words, async () => wallet.signTypedData(typedData), options.signal);
  if (asked.what !== 'intent') {
    // Tokens know keys only. A wallet that has switched its account is found here, before anything is sent.
    const signer = await askWallet(words, async () => recoverTypedDataAddress({ ...typedData, signature }));
    if (!isAddressEqual(signer, record.sender)) throw new WrongAccountError(record.sender, signer);
  }
  await journal.write<'sign'>(index, { ...asked, state: 'done', signature });
}

/** Whether the time of a signature is over before its transaction was asked for, or its intent was registered. */
function isStale({ journal }: TransferContext, step: SignStep): boolean {
  const isUnused = journal.record.steps.every(({ step: name, state }) => name === 'sign' || state === 'planned');
  return isUnused && step.deadline < Date.now() / 1_000 + MARGIN_SECONDS;
}
