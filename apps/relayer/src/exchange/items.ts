import { lower } from '@causeway/chain';
import { getToken, type AddressBook } from '@causeway/protocol';
import type { AttestItem } from '@causeway/protocol/attest';
import type {
  AdminRequest,
  IntentRecord,
  Operation,
  PayableRefund,
  Refund,
  Store,
  TransferPlace,
} from '@causeway/store';

export interface ItemStore {
  readonly intents: Pick<Store['intents'], 'findAll'>;
  readonly attestable: Pick<Store['attestable'], 'findTransfers'>;
}

/**
 * Builds the items of operations, in order. It leaves out operations that cannot be judged: those without an origin,
 * except intents, and intents that are not stored.
 */
export async function makeItems(
  { intents, attestable }: ItemStore,
  book: AddressBook,
  operations: readonly Operation[],
): Promise<AttestItem[]> {
  const intentIds = operations.filter(({ kind }) => kind === 'INTENT').map(({ id }) => id);
  const [records, transfers] = await Promise.all([intents.findAll(intentIds), attestable.findTransfers(intentIds)]);
  const items = operations.map((operation) => {
    if (operation.kind !== 'INTENT') return makeNumbered(operation, book);
    const record = records.get(operation.id);
    const transfer = transfers.get(operation.id) ?? null;
    return record === undefined ? null : makeIntent(operation, record, transfer);
  });
  return items.filter((item) => item !== null);
}

/** Builds the item of a refund on the partner chain. `arrival`: the transfer that it returns. */
export function makeRefund({ refund, payment, request, arrival }: RefundFacts, book: AddressBook): AttestItem | null {
  const { id, operationId, asset, wallet } = refund;
  const { decidedOn, reason, validUntil, approvals } = request;
  if (decidedOn?.about !== 'refund') return null;
  const { status, recipient: formerRecipient } = decidedOn;
  const signatures = approvals.map(({ signature }) => signature);
  const approval = { requestId: request.id, reason, validUntil, status, formerRecipient, operationId, signatures };
  return {
    kind: 'REFUND',
    id,
    arrival: toOrigin(arrival),
    wallet: lower(wallet),
    token: lower(getToken(book, 'partner', asset)),
    recipient: lower(payment.recipient),
    amount: payment.paidAmount,
    approval,
  };
}

export interface RefundFacts {
  readonly refund: Refund;
  readonly payment: PayableRefund;
  /** The request that approved it. */
  readonly request: AdminRequest;
  readonly arrival: TransferPlace;
}

function makeNumbered(operation: Operation, book: AddressBook): AttestItem | null {
  const { id, origin, originNonce, asset, outputAmount: amount, fee, direction } = operation;
  if (origin === null || originNonce === null) return null;
  const place = { blockNumber: origin.blockNumber, transactionHash: origin.txHash };
  const recipient = lower(operation.recipient);
  if (direction === 'ETHEREUM_TO_PARTNER') {
    const token = lower(getToken(book, 'partner', asset));
    return { kind: 'MINT', id, origin: place, payment: { depositNonce: originNonce, token, recipient, amount } };
  }
  const token = lower(getToken(book, 'ethereum', asset));
  const payment = { withdrawNonce: originNonce, token, recipient, amount, fee };
  return { kind: 'RELEASE', id, origin: place, payment };
}

function makeIntent(
  { id, sender, recipient, amount, fee }: Operation,
  { deadlineSeconds: deadline, nonceHash, signature, judgedAtBlock }: IntentRecord,
  transfer: TransferPlace | null,
): AttestItem {
  return {
    kind: 'INTENT',
    id,
    origin: transfer === null ? null : toOrigin(transfer),
    intent: { sender: lower(sender), recipient: lower(recipient), amount, deadline, nonceHash, signature },
    fee,
    judgedAtBlock,
  };
}

function toOrigin({ blockNumber, txHash: transactionHash, callIndex }: TransferPlace) {
  return { blockNumber, transactionHash, callIndex };
}
