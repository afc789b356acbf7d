import { getAddress } from 'viem';
import { defineAction, NO_SIGNATURE, TWO_SIGNATURES } from './action.js';
import { amountWords, NONE, NOTHING_PAID, getPlace, PLACES, UNKNOWN } from './words.js';

/** Ends the pause of a delayed operation. */
export const RETRY = defineAction({
  fields: ['operationId'],
  about: 'operation',
  effect: 'Ends the pause of a delayed operation, so that the relayer retries now.',
  command: 'retry',
  role: 'operator',
  signatures: NO_SIGNATURE,
  title: () => 'Retry now',
  validate: ({ operationId }, on) => {
    if (on.about !== 'operation') return `There is no operation ${operationId}`;
    return on.isPaused ? null : `The operation is ${on.status}, and not DELAYED until a time: nothing to retry`;
  },
  words: ({ operationId }) => ({
    action: `Retry the operation ${operationId} now`,
    ...NOTHING_PAID,
    chain: NONE,
  }),
});

/** Cancels a withheld delivery by an empty transaction with the same nonce. */
export const CANCEL = defineAction({
  fields: ['operationId'],
  about: 'delivery',
  effect: 'Cancels a delivery whose origin is gone by an empty transaction, so that later nonces can be mined.',
  command: 'cancel',
  role: 'operator',
  isDanger: true,
  signatures: TWO_SIGNATURES,
  title: () => 'Cancel the delivery',
  validate: (_, on) => {
    if (on.about !== 'delivery') return 'The operation has no pending transaction to cancel';
    if (on.isHalted) return 'A chain of the operation is halted. Resume it first';
    return on.isCancelled ? 'It is cancelled already. The relayer sends the cancellation until it is final' : null;
  },
  words: ({ operationId }, on, chainIds) => {
    if (on.about !== 'delivery')
      return { action: `Cancel the delivery of the operation ${operationId}`, ...NOTHING_PAID, chain: UNKNOWN };
    const others = on.operationIds.length - 1;
    const beside = others === 0 ? '' : ` and of ${others} more`;
    const action =
      `Cancel the delivery of the operation ${operationId}${beside}: ` +
      `use up nonce ${on.nonce} of ${getAddress(on.sender)} without a payment`;
    return { action, ...NOTHING_PAID, chain: getPlace(on.chainId, chainIds).chain };
  },
});

/** Fails an intent after its transfer is final. */
export const INTENT_REJECT = defineAction({
  fields: ['intentId'],
  about: 'intent',
  effect: 'Fails an intent once its transfer is final and requests the refund.',
  command: 'reject',
  role: 'operator',
  isDanger: true,
  signatures: TWO_SIGNATURES,
  title: () => 'Reject the intent',
  validate: ({ intentId }, on) => {
    if (on.about !== 'intent') return `There is no intent ${intentId}`;
    if (on.isRejected) return 'The intent is rejected already';
    return on.isOpen ? null : 'The intent has ended, or its release has begun: it cannot be rejected any more';
  },
  words: ({ intentId }, on) => {
    const { chain } = PLACES.partner;
    if (on.about !== 'intent') return { action: `Reject the intent ${intentId}`, ...NOTHING_PAID, chain };
    const amount = amountWords('XCN', on.amount);
    const [sender, recipient] = [getAddress(on.sender), getAddress(on.recipient)];
    const action = `Reject the withdrawal of ${amount} from ${sender} to ${recipient} on Ethereum: it fails`;
    return { action, amount, recipient: NONE, chain };
  },
});
