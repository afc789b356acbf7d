import type { Direction } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address } from 'viem';
import { toOperation, type Operation, type OperationRow } from './operation.js';

/** One page of an address's operations. */
interface HistoryPage {
  readonly operations: Operation[];
  readonly hasMore: boolean;
}

/** The query of a page. `limit` 1 to 100, `offset` from 0. */
interface HistoryQuery {
  readonly address: Address;
  readonly direction: Direction | null;
  readonly limit: number;
  readonly offset: number;
}

const COUNTER = { ETHEREUM_TO_PARTNER: 'deposits', PARTNER_TO_ETHEREUM: 'withdrawals' } as const;

/**
 * The operations of an address, newest first. Rows are numbered without gaps per address, and per address and
 * direction. So a page is a range of an index: it costs the same at any offset and in a table of any size.
 */
export class HistoryRepository {
  constructor(private readonly pool: Pool) {}

  /** Returns the page, and whether older operations follow it. */
  async page({ address, direction, limit, offset }: HistoryQuery): Promise<HistoryPage> {
    const counter = direction === null ? 'total' : COUNTER[direction];
    const sequence = direction === null ? 'sequence' : 'direction_sequence';
    const { rows } = await this.pool.query<OperationRow & { position: string }>({
      name: `history-${counter}`,
      text: `WITH newest AS (SELECT ${counter} - $2::bigint AS position FROM party_counter WHERE address = $1)
             SELECT o.*, p.${sequence} AS position
             FROM newest, operation_party p JOIN operation o ON o.id = p.operation_id
             WHERE p.address = $1 AND p.${sequence} <= newest.position AND p.${sequence} > newest.position - $3::bigint
               ${direction === null ? '' : `AND p.direction = '${direction}'`}
             ORDER BY p.${sequence} DESC`,
      values: [address, offset, limit],
    });
    const last = rows.at(-1);
    return { operations: rows.map(toOperation), hasMore: last !== undefined && BigInt(last.position) > 1n };
  }
}
