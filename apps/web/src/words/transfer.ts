import type { DelayReason, FailureReason, OperationStatus, StallReason, UnpayableReason } from '@causeway/sdk';

/** Why something waits or failed, and what the user needs to do. */
export interface Advice {
  readonly why: string;
  readonly what: string;
}

const WAIT = 'You need not do anything: the bridge tries again until it succeeds. Do not send again.';

/** Texts of the page of one transfer. */
export const TRANSFER = {
  title: 'Transfer',
  unknown: 'Not indexed yet',
  unknownText:
    'The bridge does not know this transfer yet. It can take a few seconds after sending. This page keeps looking.',
  malformed: 'This is not the id of a transfer',
  find: 'Find another one',
  stale: 'This may be out of date',
  staleText: 'The bridge does not answer. The page keeps trying, and the transfer goes on without it.',
  check: 'Check it yourself',
  checkText: 'Compare this transfer with both chains, without trusting this server.',
  details: 'Details',
  sides: { from: 'Sent', to: 'Arrives', delivered: 'Arrived', nothing: 'Nothing arrives' },
  fee: 'Fee',
  noFee: 'none',
  sender: 'From',
  recipient: 'To',
  transaction: 'Transaction',
  ids: { depositId: 'Deposit id', withdrawId: 'Withdrawal id', intentId: 'Intent id' },
  others: 'In the same transaction',
  raw: 'Raw data',
  timeline: 'Timeline',
  credited: 'Held by the contract for the recipient',
  refund: 'Open the refund',
  late: 'It takes longer than quoted. It still completes.',
  expected: 'Expected',
  block: 'Block',
  kinds: {
    DEPOSIT: 'Deposit',
    BURN: 'Withdrawal',
    NATIVE_WITHDRAWAL: 'Withdrawal of XCN',
    INTENT: 'Withdrawal of XCN by a signed intent',
    TRANSFER: 'Payment that crosses no bridge',
  },
  steps: {
    signed: 'Intent registered',
    sent: 'Sent',
    final: (required: number) => `Final after ${required} blocks`,
    held: 'Security hold ends',
    delayed: 'Delayed',
    delivered: 'Delivered',
    settled: 'Delivery final',
    failed: 'Failed',
    expired: 'Expired',
  },
  statuses: {
    PENDING_ORIGIN_TX: 'The intent is registered and not paid. Continue where you began it.',
    CONFIRMING: 'The transfer is in a block and becomes final with further blocks.',
    AWAITING_RELAY: 'The transfer is final. The relayer delivers it next.',
    PROCESSING_DESTINATION: 'The delivery is sent and becomes final with further blocks.',
    COMPLETED: 'The amount has arrived, and that is final.',
    DELAYED: 'The delivery waits. The amount is still owed.',
    FAILED: 'Nothing is delivered.',
    EXPIRED: 'The intent was not paid in time. No funds have moved.',
  } satisfies Record<OperationStatus, string>,
  held: {
    why: 'Every withdrawal is held, so that operators can stop a theft.',
    left: 'Time left:',
    until: 'Ends',
    status: 'The transfer is final, and held before its delivery.',
  },
  delays: {
    FLOAT_SHORT: { why: 'The bridge is short of XCN or gas on the destination chain.', what: WAIT },
    OUTFLOW_LIMIT: {
      why: 'The limit of what may leave the bridge is reached. It refills with time.',
      what: WAIT,
    },
    COLLATERAL_SHORT: { why: 'The contract on Ethereum holds less than this withdrawal pays.', what: WAIT },
    BACKING_SHORT: {
      why: 'The collateral on Ethereum does not cover the tokens on the partner chain.',
      what: 'You need not do anything. The operators look for the cause, and deliveries continue after that.',
    },
    PAUSED: { why: 'Deliveries are paused on the destination contract.', what: WAIT },
    NODE_UNAVAILABLE: { why: 'No node of the destination chain answers.', what: WAIT },
    NODE_REFUSED: { why: 'A node of the destination chain rejected the delivery.', what: WAIT },
    FEES_ABOVE_CAP: { why: 'Gas on the destination chain costs more than the relayer pays.', what: WAIT },
    ORIGIN_NOT_CONFIRMED: { why: 'The nodes do not confirm the transfer as the relayer read it.', what: WAIT },
    NONCE_TAKEN: { why: 'Another transaction used the nonce of the delivery.', what: WAIT },
    DESTINATION_REVERTED: {
      why: 'The destination contract reverts the delivery. Pauses between attempts last up to a day.',
      what: WAIT,
    },
    DELIVERY_CANCELLED: { why: 'The delivery was cancelled.', what: WAIT },
    ATTESTERS_UNAVAILABLE: { why: 'Too few attesters have signed the delivery.', what: WAIT },
    ATTESTERS_DISAGREE: { why: 'Too many attesters refuse the delivery.', what: WAIT },
    NUMBER_USED_UP: {
      why: 'Another delivery used the number of this transfer. The amount is still owed.',
      what: 'Ask the operators of the bridge, and name the id of this transfer.',
    },
  } satisfies Record<DelayReason, Advice>,
  stalls: {
    RELAYER_AWAY: {
      why: 'No relayer is running.',
      what: 'You need not do anything: the transfer continues when a relayer is back.',
    },
  } satisfies Record<StallReason, Advice>,
  unpayable: {
    WALLET_REPLACED: {
      why: 'The relayer wallet was replaced, and the key of the former one may be stolen.',
      what: 'Send nothing for this intent. Begin a new withdrawal.',
    },
    CHAIN_AWAY: {
      why: 'The nodes do not confirm the relayer wallet.',
      what: 'Send nothing meanwhile. This page shows when the intent can be paid.',
    },
    WINDOW_CLOSED: {
      why: 'The payment window of the intent has closed.',
      what: 'Send nothing for this intent. Begin a new withdrawal.',
    },
  } satisfies Record<UnpayableReason, Advice>,
  failures: {
    TRANSFER_UNMATCHED: {
      why: 'This payment to the relayer wallet pays no open intent: it came early, late, twice, with another amount or from another account.',
      what: 'Follow its refund. Do not send again.',
    },
    SIGNATURE_REVOKED: {
      why: 'The smart account does not accept the signature of its intent any more.',
      what: 'Follow the refund. To withdraw, begin a new withdrawal.',
    },
    REJECTED_BY_OPERATORS: {
      why: 'The operators of the bridge rejected this withdrawal.',
      what: 'Follow the refund, or ask the operators with its id.',
    },
  } satisfies Record<FailureReason, Advice>,
} as const;
