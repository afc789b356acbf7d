import { statusOf } from '@causeway/protocol';
import type { Prisma } from '../generated/prisma/client.js';
import type { OperationTerms, OriginRecord } from './operation.js';

/** An operation that begins. `origin`: null for an intent, since its transaction comes later. */
export interface NewOperation {
  readonly terms: OperationTerms;
  readonly origin: OriginRecord | null;
  /** Chain time of the block that began it; null for now. */
  readonly createdAt: Date | null;
}

/**
 * Writes new operations and their rows in the histories of senders and recipients, in three statements however many
 * there are. The histories show them in the given order. It locks the counters of all parties, so the caller's
 * transaction must not hold locks that come later (see "The order of locks").
 */
export async function openOperations(tx: Prisma.TransactionClient, operations: readonly NewOperation[]): Promise<void> {
  if (operations.length === 0) return;
  const parties = operations.flatMap(({ terms: { id, direction, sender, recipient } }, position) =>
    [...new Set([sender, recipient])].map((address) => ({ address, direction, operation_id: id, position })),
  );
  const rows = JSON.stringify(parties);
  // Raises the counters, and so locks them, in the order of the addresses: `lockParties` takes them so as well.
  await tx.$executeRaw`
    INSERT INTO party_counter (address, total, deposits, withdrawals)
    SELECT address, count(*), count(*) FILTER (WHERE direction = 'ETHEREUM_TO_PARTNER'),
      count(*) FILTER (WHERE direction = 'PARTNER_TO_ETHEREUM')
    FROM jsonb_to_recordset(${rows}::jsonb) AS party (address text, direction text) GROUP BY address ORDER BY address
    ON CONFLICT (address) DO UPDATE SET total = party_counter.total + excluded.total,
      deposits = party_counter.deposits + excluded.deposits,
      withdrawals = party_counter.withdrawals + excluded.withdrawals`;
  await tx.$executeRaw`
    INSERT INTO operation (id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
      origin_chain_id, destination_chain_id, origin_nonce, origin_tx_hash, origin_log_index, origin_block_number,
      origin_block_hash, required_confirmations, created_at)
    SELECT id, kind, direction, asset, status, amount, fee, fee_bps, output_amount, sender, recipient,
      origin_chain_id, destination_chain_id, origin_nonce, origin_tx_hash, origin_log_index, origin_block_number,
      origin_block_hash, required_confirmations, coalesce(created_at, now())
    FROM jsonb_populate_recordset(NULL::operation, ${JSON.stringify(operations.map(toRow))}::jsonb)`;
  // The last number of an address is its counter now.
  await tx.$executeRaw`
    INSERT INTO operation_party (address, sequence, direction, direction_sequence, operation_id)
    SELECT p.address,
      c.total + 1 - row_number() OVER (PARTITION BY p.address ORDER BY p.position DESC), p.direction,
      CASE p.direction WHEN 'ETHEREUM_TO_PARTNER' THEN c.deposits ELSE c.withdrawals END
        + 1 - row_number() OVER (PARTITION BY p.address, p.direction ORDER BY p.position DESC),
      p.operation_id
    FROM jsonb_to_recordset(${rows}::jsonb) AS p (address text, direction "Direction", operation_id text, position int)
    JOIN party_counter c ON c.address = p.address`;
}

/** The columns of a new operation. */
function toRow({ terms, origin, createdAt }: NewOperation): object {
  return {
    id: terms.id,
    kind: terms.kind,
    direction: terms.direction,
    asset: terms.asset,
    amount: terms.amount.toString(),
    fee: terms.fee.toString(),
    fee_bps: terms.feeBps,
    output_amount: terms.outputAmount.toString(),
    sender: terms.sender,
    recipient: terms.recipient,
    origin_chain_id: terms.originChainId,
    destination_chain_id: terms.destinationChainId,
    origin_nonce: terms.originNonce?.toString() ?? null,
    required_confirmations: terms.requiredConfirmations,
    origin_tx_hash: origin?.txHash ?? null,
    origin_log_index: origin?.logIndex ?? null,
    origin_block_number: origin?.blockNumber.toString() ?? null,
    origin_block_hash: origin?.blockHash ?? null,
    created_at: createdAt,
    status: statusOf({
      originTxHash: origin?.txHash ?? null,
      finalizedAtMs: null,
      destinationTxHash: null,
      delayedReason: null,
      settledAtMs: null,
      failureReason: null,
      expiredAtMs: null,
    }),
  };
}

/**
 * Deletes an operation whose origin transaction was removed by a reorg, and renumbers the later rows in the histories
 * of its parties. These rows are few, since a reorg is recent. The caller's transaction has locked the counters of
 * sender and recipient with `lockParties`.
 */
export async function withdrawOperation(tx: Prisma.TransactionClient, id: string): Promise<void> {
  const parties = await tx.operationParty.findMany({ where: { operationId: id }, orderBy: { address: 'asc' } });
  await tx.operation.delete({ where: { id } });
  for (const party of parties) {
    const { address, direction, sequence, directionSequence } = party;
    const column = direction === 'ETHEREUM_TO_PARTNER' ? 'deposits' : 'withdrawals';
    // One row at a time in ascending order: PostgreSQL checks uniqueness row by row.
    const later = await tx.operationParty.findMany({
      where: { address, sequence: { gt: sequence } },
      orderBy: { sequence: 'asc' },
    });
    for (const row of later) {
      await tx.operationParty.update({
        where: { address_sequence: { address, sequence: row.sequence } },
        data: {
          sequence: row.sequence - 1n,
          directionSequence:
            row.direction === direction && row.directionSequence > directionSequence
              ? row.directionSequence - 1n
              : row.directionSequence,
        },
      });
    }
    await tx.partyCounter.update({
      where: { address },
      data: { total: { decrement: 1n }, [column]: { decrement: 1n } },
    });
  }
}
