import type { DelayReason } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import type { Prisma, PrismaClient } from '../generated/prisma/client.js';
import { lockChainShared, lockUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { advanceOperation } from './advance-operation.js';
import { toOperation, type BlockRecord, type Operation, type OperationRow } from './operation.js';

/** A final Mint or Release event with the time of its block. */
export interface FinalDelivery {
  readonly operationId: Hex;
  readonly chainId: number;
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly settledAt: Date;
  readonly credited: boolean;
  /** The arguments of the event, integers as decimal strings, the rest lower-case. */
  readonly args: Readonly<Record<string, string>>;
}

/** Why an origin is final. */
export interface Finality {
  /** Of the origin. */
  readonly blockHash: Hex;
  readonly confirmations: number;
  /** The block that gave the origin its last required confirmation; a later one when that was read too long ago. */
  readonly finalBlock: BlockRecord;
  /** Null for deposits. */
  readonly holdUntil: Date | null;
}

/** The operations: queries of the pipeline's stages and of the API, and the steps that the stages write. */
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

  /** All operations of one origin transaction, in log order. */
  async findByOriginTx(txHash: Hex): Promise<Operation[]> {
    return this.select(
      'operation-by-origin-tx',
      'WHERE origin_tx_hash = $1 ORDER BY origin_log_index NULLS FIRST, id',
      [txHash],
    );
  }

  /** Written at or after a time, oldest change first. Not indexed: for stacks on a developer's machine. */
  async findChangedSince(since: Date, limit: number): Promise<Operation[]> {
    return this.select('operations-changed-since', 'WHERE updated_at >= $1 ORDER BY updated_at, id LIMIT $2', [
      since,
      limit,
    ]);
  }

  /** Waiting for confirmations, oldest first. */
  async findConfirming(originChainId: number): Promise<Operation[]> {
    return this.select(
      'operations-confirming',
      `WHERE status = 'CONFIRMING' AND origin_chain_id = $1 ORDER BY origin_block_number, id LIMIT 500`,
      [originChainId],
    );
  }

  /** Final, but held until a time that the chain has reached by `chainTime`. */
  async findHoldsOver(originChainId: number, chainTime: Date): Promise<Operation[]> {
    return this.select(
      'operations-hold-over',
      `WHERE status = 'AWAITING_RELAY' AND origin_chain_id = $1 AND hold_released_at IS NULL
         AND (hold_until IS NULL OR hold_until <= $2) ORDER BY finalized_at, id LIMIT 500`,
      [originChainId, chainTime],
    );
  }

  /**
   * Ready to be paid on the destination chain and without a pending transaction, oldest first. An operation in
   * KEEPS_REVERTING waits for an operator.
   */
  async findDue(destinationChainId: number, now: Date, limit: number): Promise<Operation[]> {
    return this.select(
      'operations-due',
      `WHERE status IN ('AWAITING_RELAY', 'DELAYED') AND destination_chain_id = $1 AND hold_released_at IS NOT NULL
         AND (next_attempt_at IS NULL OR next_attempt_at <= $2) AND delayed_reason IS DISTINCT FROM 'KEEPS_REVERTING'
         AND NOT EXISTS (SELECT 1 FROM journal_entry j WHERE j.operation_id = operation.id AND j.state = 'PENDING')
         AND NOT EXISTS (SELECT 1 FROM chain_event e WHERE e.operation_id = operation.id AND e.name IN ('Mint', 'Release'))
       ORDER BY hold_released_at, id LIMIT $3`,
      [destinationChainId, now, limit],
    );
  }

  /** Deliveries seen on the destination chain up to a final block, of operations not settled yet. */
  async findFinalDeliveries(destinationChainId: number, finalBlock: bigint): Promise<FinalDelivery[]> {
    const { rows } = await this.pool.query<{
      operation_id: string;
      tx_hash: string;
      block_number: string;
      block_hash: string;
      timestamp: Date;
      credited: boolean;
      args: Record<string, string>;
    }>({
      name: 'operations-final-deliveries',
      text: `SELECT e.operation_id, e.tx_hash, e.block_number, e.block_hash, b.timestamp, e.args,
               EXISTS (SELECT 1 FROM chain_event c WHERE c.operation_id = e.operation_id AND c.chain_id = e.chain_id
                       AND c.tx_hash = e.tx_hash AND c.name = 'Credited') AS credited
             FROM operation o
             JOIN chain_event e ON e.operation_id = o.id AND e.chain_id = o.destination_chain_id AND e.name IN ('Mint', 'Release')
             JOIN chain_block b ON b.chain_id = e.chain_id AND b.number = e.block_number
             WHERE o.status IN ('AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED')
               AND o.destination_chain_id = $1 AND e.block_number <= $2
             ORDER BY e.block_number, e.log_index LIMIT 500`,
      values: [destinationChainId, finalBlock.toString()],
    });
    return rows.map((row) => ({
      operationId: row.operation_id as Hex,
      chainId: destinationChainId,
      txHash: row.tx_hash as Hex,
      blockNumber: BigInt(row.block_number),
      blockHash: row.block_hash as Hex,
      settledAt: row.timestamp,
      credited: row.credited,
      args: row.args,
    }));
  }

  /** Updates the confirmations of all operations that wait for them, in one statement. */
  async countConfirmations(fence: Fence, originChainId: number, headBlock: bigint): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await lockChainShared(tx, originChainId);
      await tx.$executeRaw`
        UPDATE operation SET origin_confirmations = greatest(0, ${headBlock} - origin_block_number + 1), updated_at = now()
        WHERE status = 'CONFIRMING' AND origin_chain_id = ${originChainId}
          AND origin_confirmations <> greatest(0, ${headBlock} - origin_block_number + 1)`;
    });
  }

  /**
   * The origin has its confirmations.
   *
   * @returns false when a reorg removed the origin, or the block that made it final, or a chain is halted.
   */
  async finalize(fence: Fence, originChainId: number, id: Hex, { finalBlock, ...seen }: Finality): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, id))) return false;
      const { number, hash, timestamp } = finalBlock;
      const canonical = await tx.chainBlock.count({ where: { chainId: originChainId, number, hash } });
      if (canonical === 0) return false;
      return advanceOperation(tx, id, (now) =>
        now.status === 'CONFIRMING' && now.originBlockHash === seen.blockHash
          ? { originConfirmations: seen.confirmations, finalizedAt: timestamp, holdUntil: seen.holdUntil }
          : null,
      );
    });
  }

  /** The hold is over (or there was none): the operation may be paid, unless one of its chains is halted. */
  async releaseHold(fence: Fence, id: Hex, at: Date): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockUnhaltedChains(tx, id))) return false;
      return advanceOperation(tx, id, (now) =>
        now.status === 'AWAITING_RELAY' && now.holdReleasedAt === null ? { holdReleasedAt: at } : null,
      );
    });
  }

  /** A transient failure. The operation is due again at `nextAttemptAt`; the number of attempts has no limit. */
  async delay(fence: Fence, id: Hex, reason: DelayReason, nextAttemptAt: Date): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, (tx) =>
      advanceOperation(tx, id, (now) =>
        now.status === 'AWAITING_RELAY' || now.status === 'PROCESSING_DESTINATION' || now.status === 'DELAYED'
          ? { delayedReason: reason, nextAttemptAt, attempts: now.attempts + 1 }
          : null,
      ),
    );
  }

  /** An operator looked at a delivery that kept reverting: it is due again. False when it does not wait for that. */
  async retry(id: Hex): Promise<boolean> {
    return this.prisma.$transaction((tx) =>
      advanceOperation(tx, id, (now) =>
        now.status === 'DELAYED' && now.delayedReason === 'KEEPS_REVERTING'
          ? { delayedReason: 'DESTINATION_REVERTED', nextAttemptAt: null }
          : null,
      ),
    );
  }

  /**
   * The delivery is final. Its journal entries are concluded in the same transaction.
   *
   * @returns false when the operation does not wait for it, a reorg removed the delivery, or a chain is halted.
   */
  async settle(fence: Fence, delivery: FinalDelivery): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      const { operationId, chainId, txHash, blockHash } = delivery;
      if (!(await lockUnhaltedChains(tx, operationId))) return false;
      const canonical = await tx.chainEvent.count({
        where: { operationId, chainId, txHash, blockHash, name: { in: ['Mint', 'Release'] } },
      });
      if (canonical === 0) return false;
      // After a restored backup, the chain may show a delivery that the journal does not contain. Record it first.
      await advanceOperation(tx, delivery.operationId, (now) =>
        now.status === 'AWAITING_RELAY' || now.status === 'DELAYED'
          ? { destinationTxHash: delivery.txHash, delayedReason: null }
          : null,
      );
      const settled = await advanceOperation(tx, delivery.operationId, (now) =>
        now.status === 'PROCESSING_DESTINATION'
          ? {
              destinationTxHash: delivery.txHash,
              settledAt: delivery.settledAt,
              settledBlockNumber: delivery.blockNumber,
              settledCredited: delivery.credited,
            }
          : null,
      );
      if (settled) await concludeJournal(tx, delivery.txHash);
      return settled;
    });
  }

  private async select(name: string, where: string, values: unknown[]): Promise<Operation[]> {
    const { rows } = await this.pool.query<OperationRow>({ name, text: `SELECT * FROM operation ${where}`, values });
    return rows.map(toOperation);
  }
}

/**
 * Confirms the mined transaction of a nonce and marks all others as replaced. That includes one that was recorded as
 * reverted before a reorg let another one be mined.
 */
async function concludeJournal(tx: Prisma.TransactionClient, txHash: Hex): Promise<void> {
  const mined = await tx.journalEntry.findUnique({ where: { txHash } });
  if (mined === null) return;
  const { chainId, sender, nonce } = mined;
  await tx.journalEntry.updateMany({
    where: { chainId, sender, nonce, state: { not: 'REPLACED' }, txHash: { not: txHash } },
    data: { state: 'REPLACED' },
  });
  await tx.journalEntry.update({ where: { txHash }, data: { state: 'CONFIRMED' } });
}
