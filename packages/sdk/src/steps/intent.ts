import { postBinding, postIntent } from '../api/intents.js';
import { AnswerError, ApiError, IntentUnpayableError, RecordError } from '../errors.js';
import { computeIntentId, findStep } from './call.js';
import { renewSignature } from './sign.js';
import type { TransferContext } from './context.js';

/** Permanent refusals of a bind. */
const BIND_STOPS: ReadonlySet<string> = new Set(['INTENT_EXPIRED', 'SENDER_MISMATCH', 'INTENT_ALREADY_BOUND']);

/** Registers the signed intent. Registration is idempotent. */
export async function runRegister(context: TransferContext, index: number): Promise<void> {
  const { bridge, journal, options } = context;
  const step = journal.step(index, 'register');
  if (step.state === 'done') return;
  await renewSignature(context);
  const { record } = journal;
  const signed = findStep(record, 'sign');
  if (signed?.signature === undefined) throw new RecordError('steps.0.signature', 'is missing');
  journal.report(index, 'asked');
  const intentId = computeIntentId(record, signed);
  const answer = await postIntent(
    bridge,
    {
      senderAddress: record.sender,
      recipientAddress: record.recipient,
      amountAtomic: record.amount,
      idempotencyKey: `${record.id}-${signed.deadline}`,
      deadline: signed.deadline,
      nonce: signed.nonce,
      signature: signed.signature,
    },
    options,
  );
  if (answer.intentId.toLowerCase() !== intentId) throw new AnswerError('intentId', 'is of another intent');
  if (answer.amountAtomic !== record.amount) throw new AnswerError('amountAtomic', 'is another amount');
  if (BigInt(answer.fee.amount) > BigInt(record.maxFee))
    throw new IntentUnpayableError('FEE_TOO_HIGH', `The fee of intent ${intentId} is above the quoted one`);
  const { relayerWalletAddress: relayerWallet, expiresAt } = answer;
  await journal.write<'register'>(index, { step: 'register', state: 'done', intentId, relayerWallet, expiresAt });
}

/** Names the payment to the bridge. The bridge also finds it without this, so only some failures matter. */
export async function runBind(context: TransferContext, index: number): Promise<void> {
  const { bridge, journal, options } = context;
  const { record } = journal;
  const step = journal.step(index, 'bind');
  if (step.state === 'done') return;
  journal.report(index, 'asked');
  const { intentId } = findStep(record, 'register') ?? {};
  const paid = record.steps.find((each) => each.step === 'send');
  if (intentId === undefined || paid?.step !== 'send' || paid.hash === undefined)
    throw new RecordError('steps.2', 'is not paid');
  const binding = { intentId, senderAddress: record.sender, originTxHash: paid.hash };
  try {
    await postBinding(bridge, binding, options);
  } catch (error) {
    options.signal?.throwIfAborted();
    if (error instanceof ApiError && BIND_STOPS.has(error.code))
      throw new ApiError(error.status, error.code, `the payment ${paid.hash} pays no open intent`, {
        cause: error,
        nextStep: 'Do not pay again. The history of the account shows its refund.',
      });
  }
  await journal.write<'bind'>(index, { ...step, state: 'done' });
}
