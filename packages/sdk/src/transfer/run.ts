import { RecordError } from '../errors.js';
import { runBatch } from '../steps/batch.js';
import { findStep } from '../steps/call.js';
import type { TransferContext } from '../steps/context.js';
import { runBind, runRegister } from '../steps/intent.js';
import { withLock } from '../record/lock.js';
import type { SentTransfer } from '../record/result.js';
import { runSend } from '../steps/send.js';
import { runSign } from '../steps/sign.js';

/** Runs a new transfer. */
export async function runTransfer(context: TransferContext): Promise<SentTransfer> {
  return withLock(context.journal.record.id, async () => runSteps(context));
}

/** Runs the remaining steps of a transfer in order. The caller holds the lock. */
export async function runSteps(context: TransferContext): Promise<SentTransfer> {
  const { journal } = context;
  await journal.keep();
  for (const index of journal.record.steps.keys()) await runStep(context, index);
  const { record } = journal;
  const originTxHash = record.steps.reduce<SentTransfer['originTxHash'] | undefined>(
    (found, step) => (step.step === 'send' || step.step === 'batch' ? (step.hash ?? found) : found),
    undefined,
  );
  if (originTxHash === undefined) throw new RecordError('steps', 'send nothing');
  const { intentId } = findStep(record, 'register') ?? {};
  return { state: 'SENT', record, originTxHash, ...(intentId === undefined ? {} : { intentId }) };
}

async function runStep(context: TransferContext, index: number): Promise<void> {
  context.options.signal?.throwIfAborted();
  switch (context.journal.record.steps[index]?.step) {
    case 'sign':
      return runSign(context, index);
    case 'send':
      return runSend(context, index);
    case 'batch':
      return runBatch(context, index);
    case 'register':
      return runRegister(context, index);
    case 'bind':
      return runBind(context, index);
    case undefined:
      throw new RecordError(`steps.${index}`, 'is missing');
  }
}
