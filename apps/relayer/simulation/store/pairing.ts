import { isInWindow, type TransferKey } from '@causeway/store';
import type { Hex } from 'viem';
import { keyOfTransfer, transferOf } from './chain-data.ts';
import type { MemoryDatabase } from './memory-database.ts';
import { advance, NO_ORIGIN, originColumns } from './operations.ts';
import type { IntentRow, OperationRow, TransferRow } from './rows.ts';

/** An intent with its operation. */
export interface IntentOperation {
  readonly intent: IntentRow;
  readonly operation: OperationRow;
}

/** The parts of a transfer by which it pays an intent, also of one that was not read yet. */
export type PayingTransfer = Pick<
  TransferRow,
  'chainId' | 'asset' | 'payer' | 'amount' | 'isToFormerWallet' | 'operationId' | 'minedAt' | 'blockNumber'
>;

/** The key of a transfer, as callers of the store name it. */
export function keyOf({ chainId, txHash, asset, callIndex }: TransferRow): TransferKey {
  return { chainId, txHash, asset, callIndex };
}

/** Whether a transfer may pay a pending intent: TRANSFER_MAY_PAY of the store. */
export function mayPay(transfer: PayingTransfer, { intent, operation }: IntentOperation): boolean {
  return (
    operation.kind === 'INTENT' &&
    operation.status === 'PENDING_ORIGIN_TX' &&
    operation.sender === transfer.payer &&
    operation.amount === transfer.amount &&
    transfer.asset === 'XCN' &&
    operation.originChainId === transfer.chainId &&
    !transfer.isToFormerWallet &&
    transfer.operationId === null &&
    isInWindow(transfer, intent)
  );
}

/** Whether a transfer pays no intent, and never will: PAYS_NOTHING of the store. */
export function paysNothing(database: MemoryDatabase, transfer: TransferRow): boolean {
  if (transfer.operationId !== null) return false;
  if (intentsOf(database, transfer.payer).some((one) => mayPay(transfer, one))) return false;
  const lost = database.operations.find(
    ({ id, kind, sender, originTxHash }) =>
      originTxHash === transfer.txHash &&
      kind === 'INTENT' &&
      sender === transfer.payer &&
      transferOf(database, id) === undefined,
  );
  return lost === undefined;
}

/** The intents of a sender, or of all senders. */
export function intentsOf({ intents, operations }: MemoryDatabase, sender?: string): IntentOperation[] {
  const found: IntentOperation[] = [];
  for (const intent of intents.all()) {
    const operation = operations.get(intent.id);
    if (operation !== undefined && (sender === undefined || intent.sender === sender))
      found.push({ intent, operation });
  }
  return found;
}

/** The intent with its operation; null when there is none. */
function intentOf({ intents, operations }: MemoryDatabase, id: string): IntentOperation | null {
  const [intent, operation] = [intents.get(id), operations.get(id)];
  return intent === undefined || operation === undefined ? null : { intent, operation };
}

/** Binds a transfer to a pending intent. False when either is bound, they do not fit, or a chain is halted. */
export function bindTransfer(database: MemoryDatabase, key: TransferKey, id: Hex): boolean {
  const transfer = database.transfers.get(keyOfTransfer(key));
  const named = intentOf(database, id);
  if (database.isHaltedFor(id) || named === null || transfer === undefined || transfer.operationId !== null)
    return false;
  const bound = advance(database, id, ({ status }) =>
    status === 'PENDING_ORIGIN_TX' && fits(transfer, named) ? originOf(transfer) : null,
  );
  if (bound) assign(database, transfer, id);
  return bound;
}

/**
 * Gives the transfer of a confirming intent to an equal one of the same sender. That one's own transfer, if it has one,
 * goes the other way. False when one of them is final or gone, they are not equal, or a chain is halted.
 */
export function exchangeTransfer(database: MemoryDatabase, key: TransferKey, id: Hex): boolean {
  const transfer = database.transfers.get(keyOfTransfer(key));
  if (database.isHaltedFor(id) || transfer === undefined || transfer.operationId === null) return false;
  const holderId = transfer.operationId;
  const [taker, holder] = [intentOf(database, id), intentOf(database, holderId)];
  if (holderId === id || taker === null || holder === null) return false;
  if (!areEqual(taker.operation, holder.operation)) return false;
  const { status } = taker.operation;
  const isOpen = status === 'PENDING_ORIGIN_TX' || status === 'CONFIRMING';
  if (!isOpen || holder.operation.status !== 'CONFIRMING' || !fits(transfer, taker)) return false;
  const own = transferOf(database, id);
  if (own !== undefined && !fits(own, holder)) return false;
  assign(database, transfer, id);
  if (own !== undefined) assign(database, own, holderId);
  advance(database, id, () => originOf(transfer));
  advance(database, holderId, () => (own === undefined ? NO_ORIGIN : originOf(own)));
  return true;
}

function originOf({ txHash, blockNumber, blockHash }: TransferRow) {
  return originColumns({ txHash, logIndex: null, blockNumber, blockHash });
}

function fits(transfer: TransferRow, { intent, operation }: IntentOperation): boolean {
  return (
    operation.asset === transfer.asset &&
    operation.sender === transfer.payer &&
    operation.amount === transfer.amount &&
    operation.originChainId === transfer.chainId &&
    isInWindow(transfer, intent)
  );
}

/** Whether it makes no difference to anybody which of two intents a transfer pays. */
function areEqual(a: OperationRow, b: OperationRow): boolean {
  return (
    a.sender === b.sender && a.recipient === b.recipient && a.amount === b.amount && a.outputAmount === b.outputAmount
  );
}

function assign({ transfers }: MemoryDatabase, transfer: TransferRow, operationId: Hex): void {
  transfers.update(keyOfTransfer(transfer), { operationId });
}
