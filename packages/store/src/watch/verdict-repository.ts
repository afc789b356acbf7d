import type { Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import type { PrismaClient } from '../generated/prisma/client.js';
import { lockChainShared } from '../locks/chain-locks.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { isRepeated } from '../operations/reopening.js';
import { execute, query } from '../sql/query.js';

/** The position of an event. */
interface EventKey {
  readonly chainId: number;
  readonly txHash: Hex;
  readonly logIndex: number;
}

/** A stored event that the watch judges. */
export interface WatchedEvent<Name extends string = string> extends EventKey {
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  /** Chain time of its block. */
  readonly minedAt: Date;
  readonly name: Name;
  /** The id of an operation or a refund. For a reopening: see `BridgeEvent`. */
  readonly operationId: Hex;
  /** Arguments by name: integers as decimal strings, the rest lower-case. */
  readonly args: Readonly<Record<string, string>>;
}

/** A stored Mint, Release or Refunded event. */
export type SeenDelivery = WatchedEvent<'Mint' | 'Release' | 'Refunded'>;

/** A stored Reopened or IdReopened event, and the operations and refunds that it reopened. */
export interface SeenOpening extends WatchedEvent<'Reopened' | 'IdReopened'> {
  readonly ids: readonly Hex[];
}

/** The terms owed to the operation or signed refund with a delivery's id. Amounts in atomic units. */
export interface OwedTerms {
  readonly asset: Asset;
  readonly recipient: Address;
  readonly outputAmount: bigint;
  readonly fee: bigint;
  readonly destinationChainId: number;
}

/** A delivery, and the terms owed to the operation or signed refund with its id; null when there is none. */
export interface OwedDelivery {
  readonly delivery: SeenDelivery;
  readonly owed: OwedTerms | null;
  /** Whether its operation FAILED and gets a refund instead. */
  readonly hasFailed: boolean;
  /** Whether an earlier delivery paid the same id with the same terms. */
  readonly isRepeated: boolean;
}

interface EventRow {
  chain_id: number;
  tx_hash: string;
  log_index: number;
  block_number: string;
  block_hash: string;
  timestamp: Date;
  name: string;
  operation_id: string;
  args: Record<string, string>;
}

interface OwedRow {
  asset: string | null;
  recipient: string;
  output_amount: string;
  fee: string;
  destination_chain_id: number;
  has_failed: boolean | null;
  is_repeated: boolean;
}

const EVENT_COLUMNS =
  'e.chain_id, e.tx_hash, e.log_index, e.block_number, e.block_hash, e.name, e.operation_id, e.args, b.timestamp';
/** LATERAL, so that the block of each event is looked up by its number. */
const withBlock = (events = 'chain_event') => `${events} e CROSS JOIN LATERAL (
  SELECT timestamp FROM chain_block WHERE chain_id = e.chain_id AND number = e.block_number OFFSET 0) b`;
/** The oldest events without a verdict: $1 is the chain, $2 the limit. Taken before the join, by a partial index. */
const oldestUnjudged = (names: string) => `(
  SELECT * FROM chain_event WHERE chain_id = $1 AND verdict IS NULL AND name IN (${names})
  ORDER BY block_number, log_index LIMIT $2)`;

/** A column of the operation, or of the refund for a Refunded event. A refund and an operation can have the same id. */
function owed(ofOperation: string, ofRefund: string): string {
  return `CASE e.name WHEN 'Refunded' THEN r.${ofRefund} ELSE o.${ofOperation} END AS ${ofOperation}`;
}

const withOwed = (events?: string) => `
  SELECT ${EVENT_COLUMNS}, ${owed('asset', 'asset')}, ${owed('recipient', 'recipient')},
    ${owed('output_amount', 'paid_amount')}, CASE e.name WHEN 'Refunded' THEN 0 ELSE o.fee END AS fee,
    ${owed('destination_chain_id', 'chain_id')},
    CASE e.name WHEN 'Refunded' THEN false ELSE o.status = 'FAILED' END AS has_failed,
    ${isRepeated('e')} AS is_repeated
  FROM ${withBlock(events)} LEFT JOIN operation o ON o.id = e.operation_id AND o.kind <> 'TRANSFER'
  LEFT JOIN refund r ON r.id = e.operation_id AND r.status IN ('PENDING', 'COMPLETED')`;

/** The watch's verdicts on stored deliveries, and on reopenings of their numbers and ids. */
export class VerdictRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /** The oldest deliveries of a chain without a verdict. */
  async unjudged(chainId: number, limit: number): Promise<OwedDelivery[]> {
    const rows = await query<EventRow & OwedRow>(this.pool, {
      name: 'verdicts-unjudged',
      text: `${withOwed(oldestUnjudged("'Mint', 'Release', 'Refunded'"))} ORDER BY e.block_number, e.log_index`,
      values: [chainId, limit],
    });
    return rows.map(toOwedDelivery);
  }

  /** The deliveries of a chain for operations and refunds with these ids, in chain order. */
  async deliveriesFor(chainId: number, ids: readonly Hex[]): Promise<OwedDelivery[]> {
    if (ids.length === 0) return [];
    const rows = await query<EventRow & OwedRow>(this.pool, {
      name: 'verdicts-deliveries-for',
      text: `${withOwed()} WHERE e.chain_id = $1 AND e.operation_id = ANY ($2) AND e.name IN ('Mint', 'Release', 'Refunded')
        ORDER BY e.block_number, e.log_index`,
      values: [chainId, ids],
    });
    return rows.map(toOwedDelivery);
  }

  /** The oldest reopenings of a chain without a verdict. */
  async unjudgedOpenings(chainId: number, limit: number): Promise<SeenOpening[]> {
    const rows = await query<EventRow & { ids: Hex[] }>(this.pool, {
      name: 'verdicts-unjudged-openings',
      text: `SELECT ${EVENT_COLUMNS}, ARRAY(SELECT r.operation_id FROM reopened_id r
          WHERE r.chain_id = e.chain_id AND r.tx_hash = e.tx_hash AND r.log_index = e.log_index) AS ids
        FROM ${withBlock(oldestUnjudged("'Reopened', 'IdReopened'"))} ORDER BY e.block_number, e.log_index`,
      values: [chainId, limit],
    });
    return rows.map((row) => ({ ...toEvent(row), name: row.name as SeenOpening['name'], ids: row.ids }));
  }

  /**
   * Stores verdicts. Skips events that a reorg removed in the meantime.
   *
   * @returns how many were stored.
   */
  async record(
    fence: Fence,
    chainId: number,
    verdict: 'MATCHED' | 'UNKNOWN',
    events: readonly (SeenDelivery | SeenOpening)[],
  ): Promise<number> {
    if (events.length === 0) return 0;
    const hashes = events.map(({ txHash }) => txHash);
    const indexes = events.map(({ logIndex }) => logIndex);
    const blocks = events.map(({ blockHash }) => blockHash);
    return fencedTransaction(this.prisma, fence, async (tx) => {
      await lockChainShared(tx, chainId);
      return execute(tx)`
        UPDATE chain_event e SET verdict = ${verdict}::"DeliveryVerdict"
        FROM unnest(${hashes}::text[], ${indexes}::int[], ${blocks}::text[]) AS seen (tx_hash, log_index, block_hash)
        WHERE e.chain_id = ${chainId} AND e.tx_hash = seen.tx_hash AND e.log_index = seen.log_index
          AND e.block_hash = seen.block_hash AND e.verdict IS NULL`;
    });
  }

  /** The unknown deliveries and reopenings that no operator has accepted, oldest first. */
  async unknown(): Promise<WatchedEvent[]> {
    const rows = await query<EventRow>(this.pool, {
      name: 'verdicts-unknown',
      text: `SELECT ${EVENT_COLUMNS} FROM ${withBlock()} WHERE e.verdict = 'UNKNOWN'
        ORDER BY b.timestamp, e.chain_id, e.log_index`,
    });
    return rows.map(toEvent);
  }
}

function toEvent(row: EventRow): WatchedEvent {
  return {
    chainId: row.chain_id,
    txHash: row.tx_hash as Hex,
    logIndex: row.log_index,
    blockNumber: BigInt(row.block_number),
    blockHash: row.block_hash as Hex,
    minedAt: row.timestamp,
    name: row.name,
    operationId: row.operation_id as Hex,
    args: row.args,
  };
}

function toOwedDelivery(row: EventRow & OwedRow): OwedDelivery {
  const delivery = { ...toEvent(row), name: row.name as SeenDelivery['name'] };
  return { delivery, owed: toOwed(row), hasFailed: row.has_failed === true, isRepeated: row.is_repeated };
}

function toOwed(row: OwedRow): OwedTerms | null {
  if (row.asset === null) return null;
  return {
    asset: row.asset,
    recipient: row.recipient as Address,
    outputAmount: BigInt(row.output_amount),
    fee: BigInt(row.fee),
    destinationChainId: row.destination_chain_id,
  };
}
