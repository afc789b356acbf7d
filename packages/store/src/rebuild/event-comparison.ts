import type { Asset } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { lockAllUnhaltedChains } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import type { ScannedBlock } from '../scan/scanned-block.js';
import { replaceEvents } from '../scan/store-blocks.js';
import { execute, query } from '../sql/query.js';

/** A stored event. `args` as stored: integers as decimal strings. */
export interface StoredEvent {
  readonly txHash: Hex;
  readonly logIndex: number;
  readonly name: string;
  readonly operationId: Hex;
  readonly args: Readonly<Record<string, string>>;
}

/** The terms of a stored operation. Amounts in atomic units. */
export interface StoredTerms {
  readonly id: Hex;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly outputAmount: bigint;
  readonly sender: Address;
  readonly recipient: Address;
}

/** Most ids of one answer. */
const MOST_UNDELIVERED = 100;

/** The stored events and terms of operations, to compare them with the chains. */
export class EventComparison {
  constructor(private readonly prisma: PrismaClient) {}

  /** The events of a range of blocks. Bounds are inclusive. */
  async events(chainId: number, from: bigint, to: bigint): Promise<StoredEvent[]> {
    const rows = await query<{
      tx_hash: Hex;
      log_index: number;
      name: string;
      operation_id: Hex;
      args: Record<string, string>;
    }>(this.prisma)`
      SELECT tx_hash, log_index, name, operation_id, args FROM chain_event
      WHERE chain_id = ${chainId} AND block_number BETWEEN ${from} AND ${to}`;
    return rows.map(({ tx_hash: txHash, log_index: logIndex, operation_id: operationId, name, args }) => ({
      txHash,
      logIndex,
      name,
      operationId,
      args,
    }));
  }

  /** The stored ones of these operations. */
  async terms(ids: readonly Hex[]): Promise<StoredTerms[]> {
    const rows = await this.prisma.operation.findMany({ where: { id: { in: [...ids] } } });
    return rows.map(({ id, asset, amount, fee, outputAmount, sender, recipient }) => ({
      id: id as Hex,
      asset,
      amount: BigInt(amount.toFixed(0)),
      fee: BigInt(fee.toFixed(0)),
      outputAmount: BigInt(outputAmount.toFixed(0)),
      sender: sender as Address,
      recipient: recipient as Address,
    }));
  }

  /** The arguments of the events that began these operations, by operation. Intents begin without an event. */
  async beginnings(ids: readonly Hex[]): Promise<ReadonlyMap<Hex, StoredEvent['args']>> {
    const rows = await query<{ id: Hex; args: Record<string, string> }>(this.prisma)`
      SELECT o.id, e.args FROM operation o JOIN chain_event e ON e.chain_id = o.origin_chain_id
        AND e.tx_hash = o.origin_tx_hash AND e.log_index = o.origin_log_index AND e.operation_id = o.id
      WHERE o.id = ANY (${[...ids]})`;
    return new Map(rows.map(({ id, args }) => [id, args]));
  }

  /** The first operations that are COMPLETED by a chain up to a block, without their delivery among the events. */
  async undelivered(chainId: number, until: bigint): Promise<Hex[]> {
    const rows = await query<{ id: Hex }>(this.prisma)`
      SELECT o.id FROM operation o
      WHERE o.status = 'COMPLETED' AND o.destination_chain_id = ${chainId} AND o.settled_block_number <= ${until}
        AND NOT EXISTS (SELECT 1 FROM chain_event e WHERE e.operation_id = o.id AND e.chain_id = o.destination_chain_id
          AND e.tx_hash = o.destination_tx_hash AND e.name IN ('Mint', 'Release'))
      ORDER BY o.id LIMIT ${MOST_UNDELIVERED}`;
    return rows.map(({ id }) => id);
  }

  /**
   * Stores the events of a block that the database lacks or has with other contents, and opens the operations that it
   * lacks. Sums from that block on are computed again.
   *
   * @returns false when a chain is halted; nothing is stored then.
   */
  async restoreEvents(fence: Fence, chainId: number, block: ScannedBlock): Promise<boolean> {
    return fencedTransaction(this.prisma, fence, async (tx) => {
      if (!(await lockAllUnhaltedChains(tx))) return false;
      await replaceEvents(tx, chainId, block);
      // The watch judges their deliveries again.
      const opened = block.events.flatMap(({ opens }) => (opens === undefined ? [] : [opens.id]));
      await tx.chainEvent.updateMany({
        where: { operationId: { in: opened }, name: { in: ['Mint', 'Release'] } },
        data: { verdict: null },
      });
      await execute(tx)`
        DELETE FROM xcn_total WHERE (ethereum_chain_id = ${chainId} AND ethereum_block >= ${block.number})
          OR (partner_chain_id = ${chainId} AND partner_block >= ${block.number})`;
      return true;
    });
  }
}
