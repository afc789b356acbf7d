import { computeStatus, type Direction, type FailureReason } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { Operation as OperationModel, OperationParty, Prisma } from '../generated/prisma/client.js';
import type { OperationTerms, OriginRecord } from './operation.js';
import type { ColumnsOf } from '../sql/columns.js';
import { execute, query, sql } from '../sql/query.js';
import { columnsInSql, insertRows, rowsInSql, valuesInSql } from '../sql/rows-in-sql.js';

/** An operation to open. `origin`: null for an intent, whose transfer comes later. */
export interface NewOperation {
  readonly terms: OperationTerms;
  readonly origin: OriginRecord | null;
  /** Chain time of the block that began it; null for the current time. */
  readonly createdAt: Date | null;
  /** The histories that include it. Default: those of sender and recipient. */
  readonly parties?: readonly NewParty[];
  /** For a transfer that pays no intent. */
  readonly failure?: NewFailure;
}

/** An address whose history includes an operation. */
export interface NewParty {
  readonly address: Address;
  /** Another sender's intent that is not paid yet. */
  readonly isUnproven: boolean;
}

/** Why an operation fails at its start, and when its origin became final in chain time. */
interface NewFailure {
  readonly reason: FailureReason;
  readonly refundId: Hex;
  readonly finalizedAt: Date;
  readonly confirmations: number;
}

/**
 * Writes new operations and their rows in the histories of senders and recipients, in three statements regardless of
 * their number. The histories keep the given order. Locks the counters of all parties, so the caller's transaction must
 * not hold locks that come later (see "The order of locks").
 */
export async function openOperations(tx: Prisma.TransactionClient, operations: readonly NewOperation[]): Promise<void> {
  if (operations.length === 0) return;
  const parties = operations.flatMap(({ terms: { id, direction, sender, recipient }, parties: given }) =>
    (given ?? proven(sender, recipient)).map(({ address, isUnproven }) => ({
      address,
      direction,
      operation_id: id,
      is_unproven: isUnproven,
    })),
  );
  // Raises and locks the counters ordered by address, as `lockParties` does.
  const counters = await query<PartyCounter>(tx)`
    INSERT INTO party_counter (address, total, deposits, withdrawals)
    SELECT address, count(*), count(*) FILTER (WHERE direction = 'ETHEREUM_TO_PARTNER'),
      count(*) FILTER (WHERE direction = 'PARTNER_TO_ETHEREUM')
    FROM ${rowsInSql({ address: 'text', direction: '"Direction"' }, parties)} GROUP BY address ORDER BY address
    ON CONFLICT (address) DO UPDATE SET total = party_counter.total + excluded.total,
      deposits = party_counter.deposits + excluded.deposits,
      withdrawals = party_counter.withdrawals + excluded.withdrawals
    RETURNING address, total, deposits, withdrawals`;
  await execute(tx)`
    INSERT INTO operation (${columnsInSql(OPERATION)}, created_at, quoted_completion_at)
    SELECT ${columnsInSql(OPERATION)}, coalesce(began_at, now()),
      coalesce(began_at, now()) + estimated_seconds * interval '1 second'
    FROM ${rowsInSql({ ...OPERATION, began_at: 'timestamptz', estimated_seconds: 'int' }, operations.map(toRow))}`;
  await insertRows(tx, 'operation_party', PARTY, numberParties(parties, counters));
}

function proven(...addresses: readonly Address[]): NewParty[] {
  return [...new Set(addresses)].map((address) => ({ address, isUnproven: false }));
}

/**
 * Adds a paid withdrawal to its recipient's history, which can lack it until then. The caller's transaction has locked
 * the recipient's counter with `lockParties`.
 */
export async function proveToRecipient(
  tx: Prisma.TransactionClient,
  { id, recipient }: { readonly id: string; readonly recipient: string },
): Promise<void> {
  const where = { operationId: id, address: recipient };
  if ((await tx.operationParty.updateMany({ where, data: { isUnproven: false } })).count > 0) return;
  const { total, withdrawals } = await tx.partyCounter.update({
    where: { address: recipient },
    data: { total: { increment: 1n }, withdrawals: { increment: 1n } },
  });
  const direction = 'PARTNER_TO_ETHEREUM';
  await tx.operationParty.create({ data: { ...where, direction, sequence: total, directionSequence: withdrawals } });
}

/** How many operations an address has, in total and by direction. */
interface PartyCounter {
  readonly address: string;
  readonly total: string;
  readonly deposits: string;
  readonly withdrawals: string;
}

/** A row in the history of an address. */
interface PartyRow {
  readonly address: string;
  readonly direction: Direction;
  readonly operation_id: string;
  readonly is_unproven: boolean;
}

/**
 * Numbers new rows of histories in order, so that an address's last row has the number of its counter. Pure.
 *
 * @param counters of all addresses, new rows included.
 */
export function numberParties(rows: readonly PartyRow[], counters: readonly PartyCounter[]) {
  const last = new Map<string, bigint>();
  for (const { address, total, deposits, withdrawals } of counters) {
    last.set(address, BigInt(total));
    last.set(`${address} ETHEREUM_TO_PARTNER`, BigInt(deposits));
    last.set(`${address} PARTNER_TO_ETHEREUM`, BigInt(withdrawals));
  }
  const take = (counter: string): string => {
    const number = last.get(counter);
    if (number === undefined) throw new Error(`There is no counter of ${counter}`);
    last.set(counter, number - 1n);
    return number.toString();
  };
  return rows.toReversed().map((row) => ({
    ...row,
    sequence: take(row.address),
    direction_sequence: take(`${row.address} ${row.direction}`),
  }));
}

const PARTY = {
  address: 'text',
  sequence: 'bigint',
  direction: '"Direction"',
  direction_sequence: 'bigint',
  operation_id: 'text',
  is_unproven: 'boolean',
} as const satisfies ColumnsOf<OperationParty>;

const OPERATION = {
  id: 'text',
  kind: '"OperationKind"',
  direction: '"Direction"',
  asset: '"Asset"',
  status: '"OperationStatus"',
  amount: 'numeric',
  fee: 'numeric',
  fee_bps: 'int',
  output_amount: 'numeric',
  sender: 'text',
  recipient: 'text',
  origin_chain_id: 'int',
  destination_chain_id: 'int',
  origin_nonce: 'numeric',
  origin_tx_hash: 'text',
  origin_log_index: 'int',
  origin_block_number: 'bigint',
  origin_block_hash: 'text',
  required_confirmations: 'int',
  origin_confirmations: 'int',
  finalized_at: 'timestamptz',
  failure_reason: '"FailureReason"',
  refund_id: 'text',
} as const satisfies ColumnsOf<OperationModel, WrittenLater>;

/** The columns that are unknown when an operation begins, or that defaults and triggers set. */
type WrittenLater =
  | 'holdUntil'
  | 'holdReleasedAt'
  | 'finalSince'
  | 'delayedReason'
  | 'delayedSince'
  | 'attempts'
  | 'nextAttemptAt'
  | 'destinationTxHash'
  | 'settledAt'
  | 'settledBlockNumber'
  | 'settledCredited'
  | 'expiredAt'
  | 'quotedCompletionAt'
  | 'createdAt'
  | 'updatedAt'
  | 'changedIn';

/** The columns of a new operation. `began_at`: null for the current time. */
function toRow({ terms, origin, createdAt, failure }: NewOperation) {
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
    began_at: createdAt,
    estimated_seconds: terms.estimatedSeconds ?? null,
    // The block of the origin is the first confirmation.
    origin_confirmations: failure?.confirmations ?? (origin === null ? 0 : 1),
    finalized_at: failure?.finalizedAt ?? null,
    failure_reason: failure?.reason ?? null,
    refund_id: failure?.refundId ?? null,
    status: computeStatus({
      originTxHash: origin?.txHash ?? null,
      finalizedAtMs: failure?.finalizedAt.getTime() ?? null,
      destinationTxHash: null,
      delayedReason: null,
      settledAtMs: null,
      failureReason: failure?.reason ?? null,
      expiredAtMs: null,
    }),
  };
}

/**
 * Deletes an operation whose origin transaction a reorg removed. The caller's transaction has locked the counters of
 * sender and recipient with `lockParties`.
 */
export async function withdrawOperation(tx: Prisma.TransactionClient, id: string): Promise<void> {
  const places = await tx.operationParty.findMany({ where: { operationId: id }, orderBy: { address: 'asc' } });
  for (const place of places) await leaveHistory(tx, place);
  await tx.operation.delete({ where: { id } });
}

/**
 * Removes an operation from the history of an address and renumbers the rows above it. These are few, because only
 * recent operations are removed. The caller's transaction has locked the address's counter with `lockParties`.
 */
export async function leaveHistory(tx: Prisma.TransactionClient, place: OperationParty): Promise<void> {
  const { address, direction, sequence } = place;
  const row = {
    address: sql`address`,
    sequence: sql`sequence - 1`,
    direction: sql`direction`,
    direction_sequence: sql`direction_sequence - (direction = ${direction}::"Direction")::int`,
    operation_id: sql`operation_id`,
    is_unproven: sql`is_unproven`,
  } satisfies ColumnsOf<OperationParty>;
  await execute(tx)`
    WITH gone AS (DELETE FROM operation_party WHERE address = ${address} AND sequence >= ${sequence} RETURNING *)
    INSERT INTO operation_party ${valuesInSql(row)} FROM gone WHERE sequence > ${sequence} ORDER BY sequence`;
  const column = direction === 'ETHEREUM_TO_PARTNER' ? 'deposits' : 'withdrawals';
  await tx.partyCounter.update({ where: { address }, data: { total: { decrement: 1n }, [column]: { decrement: 1n } } });
}
