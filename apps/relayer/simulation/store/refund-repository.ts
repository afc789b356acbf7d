import { refundIdOf, type FailureReason } from '@causeway/protocol';
import type { FinalArrival, PayableRefund, Refund, RequestEffect } from '@causeway/store';
import type { Hex } from 'viem';
import { keyOfTransfer, transferOf } from './chain-data.ts';
import { sortedBy, type MemoryDatabase } from './memory-database.ts';
import { liveOperations } from './operation-repository.ts';
import { advance, openOperation } from './operations.ts';
import { keyOf, paysNothing } from './pairing.ts';
import type { EventRow, TransferRow } from './rows.ts';
import type { Simulated } from './steps.ts';
import { ConstraintError } from './table.ts';

/** The most that a query returns. */
const MOST = 500;

/** Refunds: of transfers that pay no intent, and of intents that failed after their transfer was final. */
export function refundRepository(database: MemoryDatabase): Simulated<'refunds'> {
  const { refunds, intents, operations, transfers, events, blocks } = database;
  const oldestFirst = (found: readonly Refund[]) => sortedBy(found, ({ createdAt, id }) => [createdAt, id]);
  return {
    find: (id) => toNullable(refunds.get(id)),
    findOpen: (limit = MOST) => oldestFirst(refunds.filter(isOpen)).slice(0, limit).map(copy),
    findApproved: () =>
      oldestFirst(refunds.filter(({ status }) => status === 'APPROVED'))
        .slice(0, MOST)
        .map(copy),
    findRejected: () =>
      sortedBy([...intents.all()], ({ id }) => [id])
        .flatMap(({ id, rejectedBy }) => {
          const status = operations.get(id)?.status;
          const isHeldBack = status === 'AWAITING_RELAY' || status === 'DELAYED';
          return rejectedBy !== null && isHeldBack ? [{ id, requestId: rejectedBy }] : [];
        })
        .slice(0, MOST),
    arrival: (operationId) => {
      const transfer = transferOf(database, operationId);
      return transfer === undefined ? null : { blockNumber: transfer.blockNumber, blockHash: transfer.blockHash };
    },
    findUnmatched: (chainId, finalBlock) =>
      sortedBy(
        transfers.filter(
          (row) => row.chainId === chainId && row.blockNumber <= finalBlock && paysNothing(database, row),
        ),
        ({ blockNumber, txHash, asset, callIndex }) => [blockNumber, txHash, asset, callIndex],
      )
        .slice(0, MOST)
        .map((row) => {
          const { payer, amount, blockNumber, blockHash } = row;
          return { key: keyOf(row), payer, amount, blockNumber, blockHash };
        }),
    failArrivals: (fence, arrivals, chains) => {
      if (arrivals.length === 0) return [];
      database.assertFence(fence);
      if (database.isHalted()) return [];
      const byId = new Map(arrivals.map((arrival) => [refundIdOf(arrival.key), arrival]));
      const failed = [...byId].flatMap(([id, arrival]) => {
        const transfer = transfers.get(keyOfTransfer(arrival.key));
        const isUnmatched = transfer?.blockHash === arrival.blockHash && paysNothing(database, transfer);
        return isUnmatched ? [{ id, arrival, transfer }] : [];
      });
      for (const { id, arrival, transfer } of failed) {
        // One that exists lost its transfer in an accepted reorg, and gets it again from the other branch.
        if (operations.get(id) === undefined) {
          openOperation(database, failedArrival(id, arrival, transfer, chains));
          requestRefund(database, id, transfer);
        }
        transfers.update(keyOfTransfer(transfer), { operationId: id, hasFailed: true });
      }
      return failed.map(({ id }) => id);
    },
    failIntent: (fence, id, reason) => {
      database.assertFence(fence);
      return !database.isHalted() && failIntent(database, id, reason);
    },
    findPaid: (chainId, finalBlock) => {
      const pending = refunds.filter((refund) => refund.status === 'PENDING' && refund.chainId === chainId);
      const seen = pending
        .flatMap(({ id }) => events.of(id))
        .filter((event) => isRefunded(event) && event.chainId === chainId && event.blockNumber <= finalBlock);
      return sortedBy(seen, ({ blockNumber, logIndex }) => [blockNumber, logIndex])
        .flatMap(({ operationId, txHash, blockNumber, blockHash, args }) => {
          const settledAt = blocks.find(chainId, blockNumber)?.timestamp;
          if (settledAt === undefined) return [];
          return [
            {
              refundId: operationId,
              txHash,
              blockNumber,
              blockHash,
              settledAt,
              chainId,
              name: 'Refunded' as const,
              args: { ...args },
            },
          ];
        })
        .slice(0, MOST);
    },
    complete: (fence, seen, chainId) => {
      database.assertFence(fence);
      const { txHash, blockNumber, blockHash } = seen;
      const stands = events.filter(
        (event) =>
          isRefunded(event) &&
          event.chainId === chainId &&
          event.txHash === txHash &&
          event.blockNumber === blockNumber &&
          event.blockHash === blockHash,
      );
      return !database.isHalted() && stands.length > 0 && completeRefund(database, seen);
    },
  };
}

/** Operators approved the refund. False when its payment is signed, or it has ended. */
export function approveRefund(
  database: MemoryDatabase,
  { refundId, recipient, requestId }: Extract<RequestEffect, { readonly kind: 'approve-refund' }>,
): boolean {
  return decide(database, refundId, { status: 'APPROVED', recipient, approvedBy: requestId });
}

/** Operators refused the refund. False when its payment is signed, or it has ended. */
export function refuseRefund(database: MemoryDatabase, refundId: Hex): boolean {
  return decide(database, refundId, { status: 'REFUSED' });
}

function decide(database: MemoryDatabase, id: Hex, change: Partial<Refund>): boolean {
  const status = database.refunds.get(id)?.status;
  if (status !== 'REQUESTED' && status !== 'APPROVED') return false;
  database.refunds.update(id, { ...change, updatedAt: database.date() });
  return true;
}

/**
 * Fixes what a refund pays, in the transaction that journals its call.
 *
 * @returns false when it is not APPROVED for this recipient any more.
 */
export function joinRefund(
  { refunds }: MemoryDatabase,
  { refundId, recipient, paidAmount, gasFee, dust }: PayableRefund,
  txHash: Hex,
): boolean {
  const refund = refunds.get(refundId);
  if (refund?.status !== 'APPROVED' || refund.recipient !== recipient) return false;
  if (paidAmount <= 0n || gasFee < 0n || dust < 0n || paidAmount + gasFee + dust !== refund.amount)
    throw new ConstraintError('23514', `the payment of refund ${refundId} is not what arrived`);
  refunds.update(refundId, { status: 'PENDING', payment: { recipient, paidAmount, gasFee, dust }, txHash });
  return true;
}

/** The call of a refund ended without paying it: it is paid by another one, unless another one pays it already. */
export function freeRefund({ refunds, calls }: MemoryDatabase, refundId: Hex, callId: bigint): void {
  const another = calls.find(
    ({ id, refundId: paid, state, cancelledAt }) =>
      id !== callId && paid === refundId && (state === 'SUCCEEDED' || (state === 'PENDING' && cancelledAt === null)),
  );
  if (refunds.get(refundId)?.status === 'PENDING' && another === undefined)
    refunds.update(refundId, { status: 'APPROVED', payment: null, txHash: null });
}

/** The payment of a refund is final: it is COMPLETED. False when it is not PENDING. */
export function completeRefund(
  { refunds }: MemoryDatabase,
  { refundId, txHash, settledAt }: { readonly refundId: Hex; readonly txHash: Hex; readonly settledAt: Date },
): boolean {
  if (refunds.get(refundId)?.status !== 'PENDING') return false;
  refunds.update(refundId, { status: 'COMPLETED', txHash, settledAt });
  return true;
}

/** Ends an intent whose transfer is final and that was not released: its transfer gets a refund. */
function failIntent(database: MemoryDatabase, id: Hex, reason: FailureReason): boolean {
  const transfer = transferOf(database, id);
  if (transfer === undefined || database.operations.get(id)?.kind !== 'INTENT') return false;
  if (database.events.of(id).some(({ name }) => name === 'Release') || liveOperations(database).has(id)) return false;
  const refundId = refundIdOf(keyOf(transfer));
  const hasFailed = advance(database, id, ({ status }) =>
    status === 'AWAITING_RELAY' || status === 'DELAYED' ? { failureReason: reason, refundId } : null,
  );
  if (!hasFailed) return false;
  database.transfers.update(keyOfTransfer(transfer), { hasFailed: true });
  requestRefund(database, id, transfer);
  return true;
}

function requestRefund(database: MemoryDatabase, operationId: Hex, transfer: TransferRow): void {
  const { chainId, asset, wallet, payer, amount } = transfer;
  const id = refundIdOf(keyOf(transfer));
  const now = database.date();
  database.refunds.insert(id, {
    id,
    operationId,
    chainId,
    asset,
    wallet,
    payer,
    amount,
    status: 'REQUESTED',
    recipient: null,
    approvedBy: null,
    payment: null,
    txHash: null,
    settledAt: null,
    createdAt: now,
    updatedAt: now,
  });
}

/** A transfer is of both chains, as its sender meant it; nothing of it crosses. */
function failedArrival(
  id: Hex,
  arrival: FinalArrival,
  transfer: TransferRow,
  chains: { readonly ethereum: number; readonly partner: number },
): Parameters<typeof openOperation>[1] {
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

function isOpen({ status }: Refund): boolean {
  return status === 'REQUESTED' || status === 'APPROVED' || status === 'PENDING';
}

function isRefunded({ name }: EventRow): boolean {
  return name === 'Refunded';
}

function copy(refund: Refund): Refund {
  return { ...refund };
}

function toNullable(refund: Refund | undefined): Refund | null {
  return refund === undefined ? null : copy(refund);
}
