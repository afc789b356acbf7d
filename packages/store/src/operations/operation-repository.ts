import type { DelayReason } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import { Prisma, type PrismaClient } from '../generated/prisma/client.js';
import { lockAllUnhaltedChains, lockChainShared } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { wake } from '../locks/wake-ups.js';
import { advanceOperation, advanceOperations } from './advance-operation.js';
import { toOperation, type Operation, type OperationRow } from './operation.js';
import { isReopened } from './reopening.js';
import { listColumns } from '../sql/columns.js';
import { execute, query } from '../sql/query.js';

const COLUMNS = listColumns(Prisma.OperationScalarFieldEnum, 'operation');

/** The intent's XCN is in the float, by a confirmed sweep whose call no reorg has reopened. */
const IS_SWEPT = `EXISTS (
  SELECT 1 FROM inbound_transfer t JOIN sweep s ON s.id = t.sweep_id AND s.state = 'CONFIRMED'
  WHERE t.operation_id = operation.id
    AND NOT EXISTS (SELECT 1 FROM wallet_call c WHERE c.sweep_id = s.id AND c.state = 'PENDING'))`;

/** A final Mint or Release event, with the time of its block. */
export interface FinalDelivery {
  readonly name: 'Mint' | 'Release';
  readonly operationId: Hex;
  readonly chainId: number;
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly settledAt: Date;
  readonly credited: boolean;
  /** Whether its number or id was reopened after it, in a final block. */
  readonly isReopened: boolean;
  /** The arguments of the event: integers as decimal strings, the rest lower-case. */
  readonly args: Readonly<Record<string, string>>;
}

/** Why and until when an operation is delayed. `nextAttemptAt`: null when an event, not a time, ends the delay. */
export interface OperationDelay {
  readonly operationId: Hex;
  readonly reason: DelayReason;
  readonly nextAttemptAt: Date | null;
}

/** The finality of an operation's origin. */
export interface Finality {
  readonly operationId: Hex;
  /** Of the origin. */
  readonly blockHash: Hex;
  readonly confirmations: number;
  /** Chain time of the block that was the origin's last required confirmation. */
  readonly finalizedAt: Date;
  /** Chain time at which the hold ends; null for deposits. */
  readonly holdUntil: Date | null;
}

/** The operations: queries of the pipeline's stages and the API, and the writes of the stages. */
export class OperationRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** By depositId, withdrawId or intentId. Clients poll this, so it is a prepared statement. */
  async findById(id: Hex): Promise<Operation | null> {
    const [operation] = await this.select('operation-by-id', 'WHERE id = $1', [id]);
    return operation ?? null;
  }

  /** The existing operations among the given ids, in any order. */
  async findByIds(ids: readonly Hex[]): Promise<Operation[]> {
    return ids.length === 0 ? [] : this.select('operations-by-ids', 'WHERE id = ANY ($1)', [ids]);
  }

  /** By depositId, withdrawId or intentId, or the first of an origin transaction. */
  async findByIdOrOriginTx(hash: Hex): Promise<Operation | null> {
    const where = 'WHERE id = $1 OR origin_tx_hash = $1 ORDER BY origin_log_index NULLS FIRST, id LIMIT 1';
    const [operation] = await this.select('operation-by-id-or-origin-tx', where, [hash]);
    return operation ?? null;
  }

  /** All operations of one origin transaction, in log order. */
  async findByOriginTx(txHash: Hex): Promise<Operation[]> {
    return this.select(
      'operation-by-origin-tx',
      'WHERE origin_tx_hash = $1 ORDER BY origin_log_index NULLS FIRST, id',
      [txHash],
    );
  }

  /** The operations of several origin transactions, in log order within each transaction. */
  async findByOriginTxs(txHashes: readonly Hex[]): Promise<Operation[]> {
    if (txHashes.length === 0) return [];
    const where = 'WHERE origin_tx_hash = ANY ($1) ORDER BY origin_log_index NULLS FIRST, id';
    return this.select('operations-by-origin-txs', where, [txHashes]);
  }

  /**
   * Operations changed at or after a time, oldest change first. Not indexed: only for stacks on a developer's machine.
   */
  async findChangedSince(since: Date, limit: number): Promise<Operation[]> {
    return this.select('operations-changed-since', 'WHERE updated_at >= $1 ORDER BY updated_at, id LIMIT $2', [
      since,
      limit,
    ]);
  }

  /** Operations that wait for confirmations, oldest first. */
  async findConfirming(originChainId: number): Promise<Operation[]> {
    return this.select(
      'operations-confirming',
      `WHERE status = 'CONFIRMING' AND origin_chain_id = $1 ORDER BY origin_block_number, id LIMIT 500`,
      [originChainId],
    );
  }

  /**
   * Final operations whose hold has passed but is not released, earliest end first. The hold must have passed by both
   * clocks: by `chainTime`, and by the database's clock since the origin was first seen as final. Returns none while
   * `chainTime` is more than a minute ahead of the database's clock (alert `ChainClockAhead`). DELAYED is included,
   * because a number can be used up during a hold.
   *
   * @param chainTime of the newest block of the origin chain.
   * @param isLocal only the chain's clock counts: in `local`, tools move it.
   */
  async findHoldsOver(originChainId: number, chainTime: Date, isLocal: boolean): Promise<Operation[]> {
    return this.select(
      'operations-hold-over',
      `WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND origin_chain_id = $1 AND hold_released_at IS NULL
         AND hold_until <= $2
         AND ($3 OR (final_since + (hold_until - finalized_at) <= now() AND $2 <= now() + interval '1 minute'))
       ORDER BY hold_until, id LIMIT 500`,
      [originChainId, chainTime, isLocal],
    );
  }

  /**
   * Operations ready to be paid on the destination chain that are in no live call. Those that were never delayed come
   * first. Excluded are operations whose number has a delivery on the chain, right or wrong: the contract would revert
   * another one, unless the number was reopened after it. An intent is ready once its XCN is in the float.
   *
   * @param finalBlock of the destination chain: later reopenings do not count.
   * @param causes also returns operations delayed for one of these reasons before their next attempt is due, after all
   *   others.
   */
  async findDue(
    destinationChainId: number,
    finalBlock: bigint,
    now: Date,
    limit: number,
    causes: readonly DelayReason[] = [],
  ): Promise<Operation[]> {
    return this.select(
      'operations-due',
      `WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND destination_chain_id = $1 AND hold_released_at IS NOT NULL
         AND (kind <> 'INTENT' OR ${IS_SWEPT})
         AND (next_attempt_at IS NULL OR next_attempt_at <= $2 OR delayed_reason = ANY ($4::"DelayReason"[]))
         AND NOT EXISTS (SELECT 1 FROM call_operation c WHERE c.operation_id = operation.id AND c.freed_at IS NULL)
         AND NOT EXISTS (SELECT 1 FROM chain_event e WHERE e.operation_id = operation.id AND e.name IN ('Mint', 'Release')
           AND NOT ${isReopened('e', '$5')})
       ORDER BY next_attempt_at NULLS FIRST, hold_released_at, id LIMIT $3`,
      [destinationChainId, now, limit, causes, finalBlock.toString()],
    );
  }

  /**
   * Deliveries on the destination chain up to a final block, of operations not settled yet, in chain order. Deliveries
   * that the watch judged wrong are left out once their operation is delayed as NUMBER_USED_UP.
   *
   * @param after the last delivery of the previous page; null for the first page.
   */
  async findFinalDeliveries(
    destinationChainId: number,
    finalBlock: bigint,
    after: Pick<FinalDelivery, 'blockNumber' | 'logIndex'> | null,
    limit: number,
  ): Promise<FinalDelivery[]> {
    const rows = await query<{
      name: FinalDelivery['name'];
      operation_id: string;
      tx_hash: string;
      log_index: number;
      block_number: string;
      block_hash: string;
      timestamp: Date;
      credited: boolean;
      is_reopened: boolean;
      args: Record<string, string>;
    }>(this.pool, {
      name: 'operations-final-deliveries',
      text: `SELECT e.name, e.operation_id, e.tx_hash, e.log_index, e.block_number, e.block_hash, b.timestamp, e.args,
               EXISTS (SELECT 1 FROM chain_event c WHERE c.operation_id = e.operation_id AND c.chain_id = e.chain_id
                       AND c.tx_hash = e.tx_hash AND c.name = 'Credited') AS credited,
               ${isReopened('e', '$2')} AS is_reopened
             FROM operation o
             JOIN chain_event e ON e.operation_id = o.id AND e.chain_id = o.destination_chain_id AND e.name IN ('Mint', 'Release')
             JOIN chain_block b ON b.chain_id = e.chain_id AND b.number = e.block_number
             WHERE o.status IN ('AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED')
               AND o.destination_chain_id = $1 AND e.block_number <= $2
               AND (e.block_number, e.log_index) > ($3::bigint, $4::int)
               AND (o.delayed_reason IS DISTINCT FROM 'NUMBER_USED_UP' OR e.verdict IS NULL OR e.verdict = 'MATCHED')
             ORDER BY e.block_number, e.log_index LIMIT $5`,
      values: [
        destinationChainId,
        finalBlock.toString(),
        (after?.blockNumber ?? -1n).toString(),
        after?.logIndex ?? -1,
        limit,
      ],
    });
    return rows.map((row) => ({
      name: row.name,
      operationId: row.operation_id as Hex,
      chainId: destinationChainId,
      txHash: row.tx_hash as Hex,
      logIndex: row.log_index,
      blockNumber: BigInt(row.block_number),
      blockHash: row.block_hash as Hex,
      settledAt: row.timestamp,
      credited: row.credited,
      isReopened: row.is_reopened,
      args: row.args,
    }));
  }

  /**
   * Updates the confirmations of CONFIRMING operations, in one statement. Operations with twice the required number are
   * skipped: they become final next, and far behind the head there can be a million of them.
   */
  async countConfirmations(fence: Fence, originChainId: number, headBlock: bigint): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockChainShared(tx, originChainId);
      await execute(tx)`
        UPDATE operation SET origin_confirmations = greatest(1, ${headBlock} - origin_block_number + 1), updated_at = now()
        WHERE status = 'CONFIRMING' AND origin_chain_id = ${originChainId}
          AND origin_block_number > ${headBlock}::bigint - 2 * required_confirmations
          AND origin_confirmations <> greatest(1, ${headBlock} - origin_block_number + 1)`;
    });
  }

  /**
   * Marks origins as final. Operations without a hold can then be paid.
   *
   * @returns the changed operations: none when a chain is halted, and none whose origin a reorg removed.
   */
  async finalizeAll(fence: Fence, origins: readonly Finality[]): Promise<ReadonlySet<string>> {
    const byId = new Map<string, Finality>(origins.map((origin) => [origin.operationId, origin]));
    return this.advanceAll(fence, [...byId.keys()], (now) => {
      const origin = byId.get(now.id);
      if (origin === undefined || now.status !== 'CONFIRMING' || now.originBlockHash !== origin.blockHash) return null;
      const { confirmations, finalizedAt, holdUntil } = origin;
      const holdReleasedAt = holdUntil === null ? finalizedAt : null;
      return { originConfirmations: confirmations, finalizedAt, holdUntil, holdReleasedAt };
    });
  }

  /**
   * Releases holds: the operations can then be paid.
   *
   * @returns the changed operations: none when a chain is halted.
   */
  async releaseHolds(fence: Fence, ids: readonly Hex[], at: Date): Promise<ReadonlySet<string>> {
    return this.advanceAll(fence, ids, (now) =>
      (now.status === 'AWAITING_RELAY' || now.status === 'DELAYED') && now.holdReleasedAt === null
        ? { holdReleasedAt: at }
        : null,
    );
  }

  private async advanceAll(
    fence: Fence,
    ids: readonly string[],
    decide: Parameters<typeof advanceOperations>[2],
  ): Promise<ReadonlySet<string>> {
    if (ids.length === 0) return new Set();
    return fencedTransaction(this.prisma, fence, async (tx) =>
      (await lockAllUnhaltedChains(tx)) ? advanceOperations(tx, ids, decide) : new Set<string>(),
    );
  }

  /** Delays operations after transient failures. They are due again at `nextAttemptAt`; attempts are unlimited. */
  async delayAll(fence: Fence, delays: readonly OperationDelay[]): Promise<void> {
    if (delays.length === 0) return;
    const byId = new Map<string, OperationDelay>(delays.map((delay) => [delay.operationId, delay]));
    await fencedTransaction(this.prisma, fence, (tx) =>
      advanceOperations(tx, [...byId.keys()], ({ id, status, attempts }) => {
        const delay = byId.get(id);
        if (delay === undefined || (status !== 'AWAITING_RELAY' && status !== 'DELAYED')) return null;
        return { delayedReason: delay.reason, nextAttemptAt: delay.nextAttemptAt, attempts: attempts + 1 };
      }),
    );
  }

  /** Makes a delayed operation due immediately, for an operator. False when it does not wait for a time. */
  async retry(id: Hex): Promise<boolean> {
    return this.prisma.$transaction(async (tx) => retryOperation(tx, id));
  }

  /**
   * Settles operations whose deliveries are final. Their calls end separately, once the wallet lane has their receipts.
   *
   * @returns the changed operations: none when a chain is halted, and none that does not wait for its delivery or whose
   *   delivery a reorg removed.
   */
  async settleAll(fence: Fence, deliveries: readonly FinalDelivery[]): Promise<ReadonlySet<string>> {
    if (deliveries.length === 0) return new Set();
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return new Set<string>();
      const byId = await onTheirChains(tx, deliveries);
      // After a restored backup, the chain can show a delivery that the journal lacks. Record it first.
      await advanceOperations(tx, [...byId.keys()], ({ id, status, holdReleasedAt }) => {
        const delivery = byId.get(id);
        if (delivery === undefined || (status !== 'AWAITING_RELAY' && status !== 'DELAYED')) return null;
        const { txHash: destinationTxHash, settledAt } = delivery;
        return { destinationTxHash, delayedReason: null, holdReleasedAt: holdReleasedAt ?? settledAt };
      });
      return advanceOperations(tx, [...byId.keys()], ({ id, status }) => {
        const delivery = byId.get(id);
        if (delivery === undefined || status !== 'PROCESSING_DESTINATION') return null;
        const { txHash, settledAt, blockNumber, credited } = delivery;
        return { destinationTxHash: txHash, settledAt, settledBlockNumber: blockNumber, settledCredited: credited };
      });
    });
  }

  /**
   * Delays operations whose numbers were used up by final deliveries with other terms. They stay DELAYED until a reorg
   * removes the delivery, the number is reopened, or another delivery pays with the right terms. An operation in a call
   * is not changed until the call ends.
   *
   * @returns the changed operations: none when a chain is halted.
   */
  async delayUsedUp(fence: Fence, deliveries: readonly FinalDelivery[]): Promise<ReadonlySet<string>> {
    if (deliveries.length === 0) return new Set();
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return new Set<string>();
      const byId = await onTheirChains(tx, deliveries);
      return advanceOperations(tx, [...byId.keys()], (now) =>
        canBeUsedUp(now) ? { delayedReason: 'NUMBER_USED_UP', nextAttemptAt: null } : null,
      );
    });
  }

  private async select(name: string, where: string, values: unknown[]): Promise<Operation[]> {
    const text = `SELECT ${COLUMNS} FROM operation ${where}`;
    const rows = await query<OperationRow>(this.pool, { name, text, values });
    return rows.map(toOperation);
  }
}

/**
 * Whether a final delivery with other terms delays an operation: it waits for its delivery, and is not delayed for this
 * yet.
 */
export function canBeUsedUp({ status, delayedReason }: Pick<Operation, 'status' | 'delayedReason'>): boolean {
  return status === 'AWAITING_RELAY' || (status === 'DELAYED' && delayedReason !== 'NUMBER_USED_UP');
}

/** The deliveries whose blocks are still on the stored branch, by operation. */
async function onTheirChains(
  tx: Prisma.TransactionClient,
  deliveries: readonly FinalDelivery[],
): Promise<ReadonlyMap<string, FinalDelivery>> {
  const events = await tx.chainEvent.findMany({
    where: { operationId: { in: deliveries.map((each) => each.operationId) }, name: { in: ['Mint', 'Release'] } },
    select: { operationId: true, chainId: true, txHash: true, blockHash: true },
  });
  const toKey = ({ operationId, chainId, txHash, blockHash }: (typeof events)[number]) =>
    [operationId, chainId, txHash, blockHash].join();
  const known = new Set(events.map(toKey));
  return new Map(deliveries.filter((each) => known.has(toKey(each))).map((each) => [each.operationId, each]));
}

/** `OperationRepository.retry` in the caller's transaction. */
export async function retryOperation(tx: Prisma.TransactionClient, id: Hex): Promise<boolean> {
  await wake(tx, 'operator');
  return advanceOperation(tx, id, (now) =>
    now.status === 'DELAYED' && now.nextAttemptAt !== null ? { nextAttemptAt: null } : null,
  );
}
