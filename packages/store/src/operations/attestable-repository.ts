import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { execute, query } from '../sql/query.js';
import { OPERATION_COLUMNS, toOperation, type Operation, type OperationRow } from './operation.js';

/** The position of a transfer to the relayer wallet. `callIndex`: its number within its transaction. */
export interface TransferPlace {
  readonly blockNumber: bigint;
  readonly txHash: Hex;
  readonly callIndex: number;
}

interface TransferRow {
  readonly block_number: string;
  readonly tx_hash: Hex;
  readonly call_index: number;
}

/** An attester's answer about an operation or refund that waits for attesters. */
export interface AttesterAnswer {
  /** The id of the operation or refund. */
  readonly subjectId: Hex;
  readonly attester: Address;
  /** Null: no answer yet. */
  readonly verdict: 'SIGN' | 'NOT_YET' | 'REFUSE' | null;
  /** The code of a refusal. */
  readonly reason: string | null;
  /** A sentence; null for SIGN and without an answer. */
  readonly why: string | null;
  /** When the attester first gave this answer. */
  readonly answeredAt: Date | null;
}

/**
 * The rows that a relayer shows to the attesters: unpaid operations, and the transfers of intents and refunds. Also the
 * attesters' answers.
 */
export class AttestableRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** Operations with a final origin but no final delivery, oldest first. */
  async findFinal(limit: number): Promise<Operation[]> {
    return this.select(
      'attestable-final',
      `WHERE o.status IN ('AWAITING_RELAY', 'PROCESSING_DESTINATION', 'DELAYED') ORDER BY o.created_at, o.id LIMIT $1`,
      limit,
    );
  }

  /**
   * Operations whose origin is not final, oldest first, then pending intents. Intents are free to create, so they are
   * taken round-robin: the oldest of each sender and client, then the next of each.
   */
  async findAccepted(limit: number): Promise<Operation[]> {
    // A subquery instead of a join, so that PostgreSQL always looks each intent up by its id.
    return this.select(
      'attestable-accepted',
      `JOIN (
         SELECT p.id, CASE p.status WHEN 'PENDING_ORIGIN_TX' THEN greatest(
           row_number() OVER (PARTITION BY p.status, p.sender ORDER BY p.created_at, p.id),
           row_number() OVER (PARTITION BY p.status, coalesce(p.client_ip, p.sender) ORDER BY p.created_at, p.id)
         ) ELSE 0 END AS turn
         FROM (
           SELECT id, status, sender, created_at, (SELECT client_ip FROM intent i WHERE i.id = operation.id)
           FROM operation WHERE status IN ('CONFIRMING', 'PENDING_ORIGIN_TX')
         ) p
         ORDER BY turn, p.created_at, p.id LIMIT $1
       ) shown ON shown.id = o.id ORDER BY shown.turn, o.created_at, o.id`,
      limit,
    );
  }

  /** The transfers of the given operations, by operation id. */
  async findTransfers(operationIds: readonly Hex[]): Promise<ReadonlyMap<Hex, TransferPlace>> {
    if (operationIds.length === 0) return new Map();
    // LATERAL, so that PostgreSQL always looks each transfer up by its operation.
    const rows = await query<TransferRow & { operation_id: Hex }>(this.prisma)`
      SELECT t.operation_id, t.block_number, t.tx_hash, t.call_index FROM unnest(${[...operationIds]}::text[]) AS i (id)
      CROSS JOIN LATERAL (SELECT * FROM inbound_transfer WHERE operation_id = i.id LIMIT 1) t`;
    return new Map(rows.map((row) => [row.operation_id, toPlace(row)]));
  }

  /**
   * The answers about an operation or refund, ordered by attester address; empty when it does not wait for attesters.
   */
  async findAnswers(subjectId: Hex): Promise<AttesterAnswer[]> {
    const rows = await this.prisma.attesterAnswer.findMany({ where: { subjectId }, orderBy: { attester: 'asc' } });
    return rows.map((row) => ({ ...row, subjectId, attester: row.attester as Address }));
  }

  /**
   * Replaces the answers about the given operations and refunds.
   *
   * @param subjectIds subjects without an answer in `answers` stop waiting. 'all' replaces the whole table.
   */
  async replaceAnswers(
    fence: Fence,
    subjectIds: readonly Hex[] | 'all',
    answers: readonly AttesterAnswer[],
  ): Promise<void> {
    await fencedTransaction(this.prisma, fence, async (tx) => {
      if (subjectIds === 'all') await tx.attesterAnswer.deleteMany();
      else await execute(tx)`DELETE FROM attester_answer WHERE subject_id = ANY (${[...subjectIds]}::text[])`;
      if (answers.length > 0) await tx.attesterAnswer.createMany({ data: [...answers] });
    });
  }

  private async select(name: string, rest: string, limit: number): Promise<Operation[]> {
    const text = `SELECT ${OPERATION_COLUMNS} FROM operation o ${rest}`;
    const rows = await query<OperationRow>(this.pool, { name, text, values: [limit] });
    return rows.map(toOperation);
  }
}

function toPlace({ block_number: blockNumber, tx_hash: txHash, call_index: callIndex }: TransferRow): TransferPlace {
  return { blockNumber: BigInt(blockNumber), txHash, callIndex };
}
