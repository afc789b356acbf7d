import { computeRefundId, type FailureReason } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { Prisma, type InboundTransfer } from '../generated/prisma/client.js';
import { lockOperation, lockParties } from '../locks/row-locks.js';
import { TRANSFER_MAY_PAY } from '../intents/payment-window.js';
import type { TransferKey } from '../intents/bind-transfer.js';
import { advanceOperation } from '../operations/advance-operation.js';
import { openOperations, type NewOperation } from '../operations/open-operation.js';
import { query, sql } from '../sql/query.js';

/** A final transfer that pays no intent. `amount` in atomic units. */
export interface UnmatchedArrival {
  readonly key: TransferKey;
  readonly payer: Address;
  readonly amount: bigint;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

/** A transfer, and when its block became final in chain time. */
export interface FinalArrival extends UnmatchedArrival {
  readonly finalizedAt: Date;
  /** Confirmations at that time. */
  readonly confirmations: number;
}

/** The chain ids of the bridge. */
export interface ChainPair {
  readonly ethereum: number;
  readonly partner: number;
}

/**
 * The condition that a transfer `t` pays no intent and never will: no open intent matches it, and a later intent
 * cannot. Nor is it the lost transfer of an intent: an accepted reorg of final blocks removes the transfer of an intent
 * that is past CONFIRMING, and the new branch can contain the transfer again.
 */
export const PAYS_NOTHING = sql`
  t.operation_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM intent i, operation o WHERE i.sender = t.payer AND ${TRANSFER_MAY_PAY})
  AND NOT EXISTS (
    SELECT 1 FROM operation lost WHERE lost.origin_tx_hash = t.tx_hash AND lost.kind = 'INTENT' AND lost.sender = t.payer
      AND NOT EXISTS (SELECT 1 FROM inbound_transfer own WHERE own.operation_id = lost.id))`;

/**
 * Creates a FAILED operation and a refund for each transfer that still pays no intent.
 *
 * @returns the ids of these operations.
 */
export async function failArrivals(
  tx: Prisma.TransactionClient,
  arrivals: readonly FinalArrival[],
  chains: ChainPair,
): Promise<Hex[]> {
  await lockParties(
    tx,
    arrivals.map(({ payer }) => payer),
  );
  const byId = new Map(arrivals.map((arrival) => [computeRefundId(arrival.key), arrival]));
  const failed: { readonly transfer: InboundTransfer; readonly operation: NewOperation }[] = [];
  for (const [id, arrival] of byId) {
    const transfer = await lockUnmatched(tx, arrival);
    if (transfer === null) continue;
    failed.push({ transfer, operation: toFailed(id, arrival, transfer, chains) });
  }
  const ids = failed.map(({ operation }) => operation.terms.id);
  // An existing operation lost its transfer in an accepted reorg, and gets it back from the new branch.
  const known = await tx.operation.findMany({ where: { id: { in: ids } }, select: { id: true } });
  const added = failed.filter(({ operation }) => !known.some(({ id }) => id === operation.terms.id));
  await openOperations(
    tx,
    added.map(({ operation }) => operation),
  );
  for (const { transfer, operation } of failed) await assign(tx, transfer, operation.terms.id);
  const refunds = added.map(({ transfer, operation }) => refundRow(transfer, operation.terms.id));
  await tx.refund.createMany({ data: refunds });
  return ids;
}

/**
 * Fails an unreleased intent whose transfer is final, and creates the refund of its transfer.
 *
 * @returns false when the intent does not wait for its release, or a call may release it.
 */
export async function failIntent(tx: Prisma.TransactionClient, id: Hex, reason: FailureReason): Promise<boolean> {
  await query(tx)`SELECT 1 FROM inbound_transfer WHERE operation_id = ${id} FOR UPDATE`;
  const transfer = await tx.inboundTransfer.findUnique({ where: { operationId: id } });
  const operation = await lockOperation(tx, id);
  if (transfer === null || operation?.kind !== 'INTENT') return false;
  const events = { operationId: id, name: 'Release' };
  const isReleased = (await tx.chainEvent.count({ where: events })) > 0;
  const isInCall = (await tx.callOperation.count({ where: { operationId: id, freedAt: null } })) > 0;
  if (isReleased || isInCall) return false;
  const refundId = computeRefundId(toTransferKey(transfer));
  const hasFailed = await advanceOperation(tx, id, ({ status }) =>
    status === 'AWAITING_RELAY' || status === 'DELAYED' ? { failureReason: reason, refundId } : null,
  );
  if (!hasFailed) return false;
  await assign(tx, transfer, id);
  await tx.refund.create({ data: refundRow(transfer, id) });
  return true;
}

function refundRow(transfer: InboundTransfer, operationId: Hex) {
  const { chainId, asset, wallet, payer, amount } = transfer;
  return { id: computeRefundId(toTransferKey(transfer)), operationId, chainId, asset, wallet, payer, amount };
}

function toTransferKey({ chainId, txHash, asset, callIndex }: InboundTransfer): TransferKey {
  return { chainId, txHash: txHash as Hex, asset, callIndex };
}

/** Locks a transfer. Null when it is bound, can be bound, or is in another block. */
async function lockUnmatched(tx: Prisma.TransactionClient, arrival: FinalArrival): Promise<InboundTransfer | null> {
  const { chainId, txHash, asset, callIndex } = arrival.key;
  const found = await query(tx)`
    SELECT 1 FROM inbound_transfer t
    WHERE t.chain_id = ${chainId} AND t.tx_hash = ${txHash} AND t.asset = ${asset}::"Asset"
      AND t.call_index = ${callIndex} AND t.block_hash = ${arrival.blockHash} AND ${PAYS_NOTHING} FOR UPDATE OF t`;
  if (found.length === 0) return null;
  const where = { chainId_txHash_asset_callIndex: { chainId, txHash, asset, callIndex } };
  return tx.inboundTransfer.findUnique({ where });
}

/** The operation gets both chains and a direction, although it pays nothing across the bridge. */
function toFailed(id: Hex, arrival: FinalArrival, transfer: InboundTransfer, chains: ChainPair): NewOperation {
  const { key, payer, amount, blockNumber, blockHash, finalizedAt, confirmations } = arrival;
  const isOfPartner = key.chainId === chains.partner;
  return {
    terms: {
      id,
      kind: 'TRANSFER',
      direction: isOfPartner ? 'PARTNER_TO_ETHEREUM' : 'ETHEREUM_TO_PARTNER',
      asset: key.asset,
      amount,
      fee: 0n,
      feeBps: 0,
      outputAmount: 0n,
      sender: payer,
      recipient: payer,
      originChainId: key.chainId,
      destinationChainId: isOfPartner ? chains.ethereum : chains.partner,
      originNonce: null,
      requiredConfirmations: confirmations,
    },
    origin: { txHash: key.txHash, logIndex: null, blockNumber, blockHash },
    createdAt: transfer.minedAt,
    failure: { reason: 'TRANSFER_UNMATCHED', refundId: id, finalizedAt, confirmations },
  };
}

async function assign(tx: Prisma.TransactionClient, transfer: InboundTransfer, operationId: string): Promise<void> {
  const where = { chainId_txHash_asset_callIndex: toTransferKey(transfer) };
  await tx.inboundTransfer.update({ where, data: { operationId, hasFailed: true } });
}
