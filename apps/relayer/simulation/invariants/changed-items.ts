import type { Delivery, IntentDelivery, RefundItem, TransferOrigin } from '@causeway/verifier';
import type { Address, Hex } from 'viem';
import type { Random } from '../environment/random.ts';

/** A refund that the relayer pays on the partner chain. */
export type RefundEntry = RefundItem & { readonly kind: 'REFUND' };
/** Everything that the verifier judges. */
export type Item = Delivery | RefundEntry;

const STRANGER: Address = `0x${'57'.repeat(20)}`;
const WRONG_HASH: Hex = `0x${'1e'.repeat(32)}`;

/** Changes an item in one place, so that the chains do not owe it; null when it has no such place. */
export function changeItem(item: Item, number: number, random: Random): Item | null {
  const by = random.pick([1n, 7n, 10n ** 10n, 10n ** 18n]);
  if (item.kind === 'REFUND') return changeRefund(item, number);
  return item.kind === 'INTENT' ? changeIntent(item, number, by) : changeNumbered(item, number, by);
}

type Numbered = Exclude<Delivery, IntentDelivery>;

function changeNumbered(item: Numbered, number: number, by: bigint): Delivery | null {
  const { payment, origin } = item;
  const withPayment = (over: object) => ({ ...item, payment: { ...payment, ...over } }) as Numbered;
  switch (number) {
    case 0:
      return withPayment({ amount: payment.amount + by });
    case 1:
      return withPayment({ amount: payment.amount - 1n });
    case 2:
      return withPayment({ recipient: STRANGER });
    case 3:
      return withPayment({ token: STRANGER });
    case 4:
      return { ...item, id: WRONG_HASH };
    case 5:
      return withPayment(
        item.kind === 'MINT'
          ? { depositNonce: item.payment.depositNonce + 1n }
          : { withdrawNonce: item.payment.withdrawNonce + 1n },
      );
    case 6:
      return { ...item, origin: { ...origin, transactionHash: WRONG_HASH } };
    case 7:
      return { ...item, origin: { ...origin, blockNumber: origin.blockNumber - 1n } };
    case 8:
      return item.kind === 'MINT' ? null : withPayment({ fee: item.payment.fee + by });
    case 9:
      return item.kind === 'MINT' ? null : withPayment({ fee: item.payment.fee - 1n, amount: payment.amount + 1n });
    default:
      return null;
  }
}

function changeIntent(item: IntentDelivery, number: number, by: bigint): Delivery | null {
  const { intent, origin, fee } = item;
  switch (number) {
    case 0:
      return { ...item, intent: { ...intent, amount: intent.amount + by } };
    case 1:
      return { ...item, intent: { ...intent, recipient: STRANGER } };
    case 2:
      return { ...item, intent: { ...intent, sender: STRANGER } };
    case 3:
      return { ...item, intent: { ...intent, deadline: intent.deadline + 1n } };
    case 4:
      return { ...item, id: WRONG_HASH };
    case 5:
      return { ...item, fee: fee + by };
    case 6:
      return { ...item, fee: fee - 1n };
    case 7:
      return { ...item, origin: { ...origin, transactionHash: WRONG_HASH } };
    case 8:
      return { ...item, origin: { ...origin, callIndex: origin.callIndex + 1 } };
    case 9:
      return { ...item, intent: { ...intent, signature: `${intent.signature.slice(0, -4)}0000` as Hex } };
    case 10:
      return { ...item, judgedAtBlock: origin.blockNumber + 1n };
    case 11:
      return { ...item, intent: { ...intent, nonceHash: WRONG_HASH } };
    default:
      return null;
  }
}

function changeRefund(item: RefundEntry, number: number): RefundEntry | null {
  const { amount, arrival, approval } = item;
  const [first = '0x'] = approval.signatures;
  switch (number) {
    case 0:
      return { ...item, amount: 2n * amount };
    case 1:
      return { ...item, amount: amount / 3n };
    case 2:
      return { ...item, recipient: STRANGER };
    case 3:
      return { ...item, token: STRANGER };
    case 4:
      return { ...item, id: WRONG_HASH };
    case 5:
      return { ...item, wallet: STRANGER };
    case 6:
      return { ...item, arrival: { ...arrival, transactionHash: WRONG_HASH } };
    case 7:
      return { ...item, arrival: { ...arrival, blockNumber: arrival.blockNumber - 1n } };
    case 8:
      return { ...item, arrival: { ...arrival, callIndex: arrival.callIndex + 1 } };
    case 9:
      return { ...item, approval: { ...approval, signatures: [first, first] } };
    case 10:
      return { ...item, approval: { ...approval, reason: `${approval.reason}.` } };
    case 11:
      return { ...item, approval: { ...approval, operationId: WRONG_HASH } };
    default:
      return null;
  }
}

/** The sender and the amount of a transfer. */
export interface Paid {
  readonly payer: Address;
  readonly amount: bigint;
}

/**
 * Gives an intent the transfer of another item, which does not fit it; null when it might fit.
 *
 * @param paid the other item's transfer.
 */
export function exchangeTransfers(item: Item, other: Item, paid: Paid | null): Delivery | null {
  const origin = getTransfer(other);
  if (item.kind !== 'INTENT' || paid === null || origin === null) return null;
  const isEqual = item.intent.sender === paid.payer && item.intent.amount === paid.amount;
  return isEqual ? null : { ...item, origin };
}

function getTransfer(item: Item): TransferOrigin | null {
  if (item.kind === 'REFUND') return item.arrival;
  return item.kind === 'INTENT' ? item.origin : null;
}
