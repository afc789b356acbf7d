import type { DelayReason, Direction, OperationStatus, RefundStatus } from '@causeway/protocol';

/** Meaning of a colour and an icon. A word always accompanies them, so that no meaning depends on colour alone. */
export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'neutral';

/** A word with its tone. */
export interface Label {
  readonly word: string;
  readonly tone: Tone;
}

/** The statuses of an operation, in the order in which they occur. */
export const STATUS_LABELS: Readonly<Record<OperationStatus, Label>> = {
  PENDING_ORIGIN_TX: { word: 'Awaiting transfer', tone: 'neutral' },
  CONFIRMING: { word: 'Confirming', tone: 'info' },
  AWAITING_RELAY: { word: 'Awaiting delivery', tone: 'info' },
  PROCESSING_DESTINATION: { word: 'Delivering', tone: 'info' },
  COMPLETED: { word: 'Completed', tone: 'good' },
  DELAYED: { word: 'Delayed', tone: 'warn' },
  FAILED: { word: 'Failed', tone: 'bad' },
  EXPIRED: { word: 'Expired', tone: 'neutral' },
};

/** Why a delivery is delayed. */
export const DELAY_WORDS: Readonly<Record<DelayReason, string>> = {
  FLOAT_SHORT: 'Float or gas is short',
  OUTFLOW_LIMIT: 'Outflow limit reached',
  COLLATERAL_SHORT: 'Collateral is short',
  BACKING_SHORT: 'Backing is short',
  PAUSED: 'Deliveries are paused',
  NODE_UNAVAILABLE: 'No node answers',
  NODE_REFUSED: 'Node refused the transaction',
  FEES_ABOVE_CAP: 'Gas price above the cap',
  ORIGIN_NOT_CONFIRMED: 'Origin is not confirmed',
  NONCE_TAKEN: 'Nonce used elsewhere',
  DESTINATION_REVERTED: 'Contract reverts',
  DELIVERY_CANCELLED: 'Delivery was cancelled',
  ATTESTERS_UNAVAILABLE: 'Too few attesters answer',
  ATTESTERS_DISAGREE: 'Attesters refuse',
  NUMBER_USED_UP: 'Number already used',
};

/** The two directions. */
export const DIRECTION_WORDS: Readonly<Record<Direction, string>> = {
  ETHEREUM_TO_PARTNER: 'Ethereum → Partner',
  PARTNER_TO_ETHEREUM: 'Partner → Ethereum',
};

/** The two chains. */
export const SIDE_WORDS = { ethereum: 'Ethereum', partner: 'Partner chain' } as const;

/** Kinds of operations. */
export const KIND_WORDS: Readonly<Record<string, string>> = {
  DEPOSIT: 'Deposit',
  BURN: 'Burn',
  NATIVE_WITHDRAWAL: 'Native withdrawal',
  INTENT: 'Intent',
  TRANSFER: 'Unmatched transfer',
};

/** The states of a refund. */
export const REFUND_LABELS: Readonly<Record<RefundStatus, Label>> = {
  REQUESTED: { word: 'Needs a decision', tone: 'warn' },
  APPROVED: { word: 'Approved', tone: 'info' },
  PENDING: { word: 'Being paid', tone: 'info' },
  COMPLETED: { word: 'Paid', tone: 'good' },
  REFUSED: { word: 'Refused', tone: 'bad' },
};

/**
 * Converts a name of the contracts, a command or the API, which the console does not know in advance: `setFee` to
 * `Set fee`. The words of actions and their fields are in the table of actions.
 */
export function nameWords(name: string): string {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
