import type { Asset } from '@causeway/protocol';
import type { Hex } from 'viem';
import type { Intent, InboundTransfer, Operation, Prisma } from '../generated/prisma/client.js';
import { lockUnhaltedChains } from '../locks/chain-locks.js';
import { lockOperations, lockParties } from '../locks/row-locks.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { proveToRecipient } from '../operations/open-operation.js';
import { isInWindow } from './payment-window.js';
import { query } from '../sql/query.js';

/** The key of a transfer to a relayer wallet. */
export interface TransferKey {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly asset: Asset;
  /** See `ScannedTransfer`. */
  readonly callIndex: number;
}

/**
 * Binds a transfer to a pending intent. Rechecks payer, amount and window under the locks, because a bound transfer
 * leads to a release of money.
 *
 * @returns false when the transfer or the intent is already bound, they do not match, or a chain is halted.
 */
export async function bindTransfer(tx: Prisma.TransactionClient, key: TransferKey, id: Hex): Promise<boolean> {
  if (!(await lockUnhaltedChains(tx, id))) return false;
  const operation = await tx.operation.findUnique({ where: { id } });
  if (operation === null) return false;
  await lockParties(tx, [operation.recipient]);
  const transfer = await lockTransfer(tx, key);
  const intent = await tx.intent.findUnique({ where: { id } });
  if (transfer === null || transfer.operationId !== null || intent === null) return false;
  const bound = await advanceOperation(tx, id, (now) =>
    now.status === 'PENDING_ORIGIN_TX' && fits(transfer, now, intent) ? toOrigin(transfer) : null,
  );
  if (!bound) return false;
  await assign(tx, transfer, id);
  await proveToRecipient(tx, operation);
  return true;
}

/**
 * Moves the transfer of a confirming intent to an equal intent of the same sender, whose client named this transfer. If
 * that intent has a transfer of its own, the two are swapped; otherwise the first intent is pending again.
 *
 * @returns false when an intent is final or gone, the intents are not equal, a transfer does not match, or a chain is
 *   halted.
 */
export async function exchangeTransfer(tx: Prisma.TransactionClient, key: TransferKey, id: Hex): Promise<boolean> {
  if (!(await lockUnhaltedChains(tx, id))) return false;
  const named = await tx.operation.findUnique({ where: { id } });
  if (named === null) return false;
  await lockParties(tx, [named.recipient]);
  const transfer = await lockTransfer(tx, key);
  if (transfer === null || transfer.operationId === null || transfer.operationId === id) return false;
  const own = await lockBoundTransfer(tx, id);
  const holderId = transfer.operationId;
  await lockOperations(tx, [id, holderId]);
  const [taker, holder] = await Promise.all([findIntent(tx, id), findIntent(tx, holderId)]);
  if (taker === null || holder === null || !areEqual(taker, holder)) return false;
  const isOpen = taker.status === 'PENDING_ORIGIN_TX' || taker.status === 'CONFIRMING';
  if (!isOpen || holder.status !== 'CONFIRMING' || !fits(transfer, taker, taker.intent)) return false;
  if (own !== null && !fits(own, holder, holder.intent)) return false;
  // Unassign first: an intent has at most one transfer, also within this transaction.
  await assign(tx, transfer, null);
  if (own !== null) await assign(tx, own, null);
  await assign(tx, transfer, id);
  if (own !== null) await assign(tx, own, holderId);
  await advanceOperation(tx, id, () => toOrigin(transfer));
  await advanceOperation(tx, holderId, () => (own === null ? NO_ORIGIN : toOrigin(own)));
  await proveToRecipient(tx, named);
  return true;
}

/** The columns of an intent without a transfer. */
const NO_ORIGIN = {
  originTxHash: null,
  originLogIndex: null,
  originBlockNumber: null,
  originBlockHash: null,
  originConfirmations: 0,
} as const;

function toOrigin({ txHash, blockNumber, blockHash }: InboundTransfer) {
  return {
    originTxHash: txHash,
    originLogIndex: null,
    originBlockNumber: blockNumber,
    originBlockHash: blockHash,
    originConfirmations: 1,
  };
}

function fits(transfer: InboundTransfer, operation: Operation, intent: Intent): boolean {
  return (
    operation.asset === transfer.asset &&
    operation.sender === transfer.payer &&
    operation.amount.equals(transfer.amount) &&
    operation.originChainId === transfer.chainId &&
    isInWindow(transfer, intent)
  );
}

/** Whether two intents are interchangeable for their parties. */
function areEqual(a: Operation, b: Operation): boolean {
  return (
    a.sender === b.sender &&
    a.recipient === b.recipient &&
    a.amount.equals(b.amount) &&
    a.outputAmount.equals(b.outputAmount)
  );
}

async function lockTransfer(tx: Prisma.TransactionClient, key: TransferKey): Promise<InboundTransfer | null> {
  const { chainId, txHash, asset, callIndex } = key;
  await query(tx)`
    SELECT 1 FROM inbound_transfer WHERE chain_id = ${chainId} AND tx_hash = ${txHash} AND asset = ${asset}::"Asset"
      AND call_index = ${callIndex} FOR UPDATE`;
  return tx.inboundTransfer.findUnique({
    where: { chainId_txHash_asset_callIndex: { chainId, txHash, asset, callIndex } },
  });
}

async function lockBoundTransfer(tx: Prisma.TransactionClient, operationId: string): Promise<InboundTransfer | null> {
  await query(tx)`SELECT 1 FROM inbound_transfer WHERE operation_id = ${operationId} FOR UPDATE`;
  return tx.inboundTransfer.findUnique({ where: { operationId } });
}

async function findIntent(tx: Prisma.TransactionClient, id: string): Promise<(Operation & { intent: Intent }) | null> {
  const row = await tx.operation.findUnique({ where: { id }, include: { intent: true } });
  const intent = row?.intent ?? null;
  return row === null || intent === null ? null : { ...row, intent };
}

async function assign(
  tx: Prisma.TransactionClient,
  { chainId, txHash, asset, callIndex }: InboundTransfer,
  operationId: string | null,
): Promise<void> {
  const where = { chainId_txHash_asset_callIndex: { chainId, txHash, asset, callIndex } };
  await tx.inboundTransfer.update({ where, data: { operationId } });
}
