import type { Direction, OperationStatus } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { OPERATION_COLUMNS, toOperation, type Operation, type OperationRow } from './operation.js';
import { query } from '../sql/query.js';

/** One page of an address's operations. */
export interface HistoryPage {
  readonly operations: Operation[];
  readonly hasMore: boolean;
  /** Continues after this page; null when it is the last one. */
  readonly nextCursor: Hex | null;
}

/** The operation of a cursor is not in the history: it was removed, or the cursor belongs to another list. */
export class UnknownCursorError extends Error {
  override readonly name = 'UnknownCursorError';
  constructor(
    readonly address: Address,
    readonly cursor: Hex,
  ) {
    super(`The history of ${address} has no operation ${cursor}; restart from the first page`);
  }
}

/** The query of a page. `limit` 1 to 100, `offset` from 0. */
export interface HistoryQuery {
  readonly address: Address;
  readonly direction: Direction | null;
  readonly limit: number;
  readonly offset: number;
  /** The `nextCursor` of the previous page. Replaces the offset, and stays stable when operations begin meanwhile. */
  readonly cursor?: Hex | null;
  /** Only operations with the address in this role. */
  readonly role?: 'sender' | 'recipient' | null;
  /** Only operations with one of these statuses. */
  readonly statuses?: readonly OperationStatus[] | null;
}

/** A row of a history with its number. */
interface Place {
  readonly operation_id: Hex;
  readonly position: string;
}

const COUNTER = { ETHEREUM_TO_PARTNER: 'deposits', PARTNER_TO_ETHEREUM: 'withdrawals' } as const;
/**
 * Rows of a history that a page filtered by role or status scans. Such a page can be shorter than the limit, or empty.
 */
const MOST_WALKED = 1_000;

/**
 * The operations of an address, newest first. Rows are numbered without gaps per address, and per address and
 * direction. So a page is an index range, which costs the same at any offset and table size. The index does not cover
 * role and status: a page filtered by one of them scans a bounded range.
 */
export class HistoryRepository {
  constructor(private readonly pool: Pool) {}

  /** @throws UnknownCursorError */
  async page(wanted: HistoryQuery): Promise<HistoryPage> {
    const { cursor = null, role = null, statuses = null, limit } = wanted;
    const isFiltered = role !== null || statuses !== null;
    // With filters, row numbers do not tell whether more rows follow, so one extra row is read.
    const rows = await this.rows(wanted, isFiltered ? MOST_WALKED : limit, isFiltered ? limit + 1 : limit);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1) ?? null;
    if (last === null && cursor !== null) await this.assertKnown(wanted, cursor);
    const end = isFiltered && rows.length <= limit ? await this.placeAfter(wanted, MOST_WALKED) : last;
    const isLast = end === null || (BigInt(end.position) <= 1n && rows.length <= limit);
    return {
      operations: shown.map(toOperation),
      hasMore: !isLast,
      nextCursor: isLast ? null : (('id' in end ? end.id : end.operation_id) as Hex),
    };
  }

  /** The page is selected before the join, and each of its operations is then looked up by its id. */
  private async rows({ role = null, statuses = null, ...wanted }: HistoryQuery, walked: number, limit: number) {
    const places = buildPlacesQuery(wanted);
    const filters = [
      'id = place.operation_id',
      ...(role === null ? [] : [`${role} = $1`]),
      // One statement serves every choice of statuses.
      ...(statuses === null ? [] : ['status = ANY ($5::"OperationStatus"[])']),
    ];
    return query<OperationRow & { position: string }>(this.pool, {
      name: `${places.name}-${role ?? 'any'}-${statuses === null ? 'any' : 'statuses'}`,
      text: `SELECT ${OPERATION_COLUMNS}, place.position
             FROM (${places.text} LIMIT $3) place
             CROSS JOIN LATERAL (SELECT * FROM operation WHERE ${filters.join(' AND ')} OFFSET 0) o
             ORDER BY place.position DESC LIMIT $4`,
      values: [...places.values, walked, limit, ...(statuses === null ? [] : [statuses])],
    });
  }

  /** The last of this many rows from the start of a page; null when there are fewer. */
  private async placeAfter(wanted: HistoryQuery, rows: number): Promise<Place | null> {
    const places = buildPlacesQuery(wanted);
    const found = await query<Place>(this.pool, {
      name: `${places.name}-place`,
      text: `${places.text} OFFSET $3 LIMIT 1`,
      values: [...places.values, rows - 1],
    });
    return found[0] ?? null;
  }

  private async assertKnown({ address, direction }: HistoryQuery, cursor: Hex): Promise<void> {
    const rows = await query<{ direction: Direction }>(this.pool, {
      name: 'history-cursor',
      text: 'SELECT direction FROM operation_party WHERE operation_id = $2 AND address = $1',
      values: [address, cursor],
    });
    if (rows[0] === undefined || (direction !== null && rows[0].direction !== direction))
      throw new UnknownCursorError(address, cursor);
  }
}

/** The rows of a history from the start of a page, newest first: $1 is the address, $2 the offset or cursor. */
function buildPlacesQuery({ address, direction, offset, cursor = null }: HistoryQuery) {
  const counter = direction === null ? 'total' : COUNTER[direction];
  const sequence = direction === null ? 'sequence' : 'direction_sequence';
  const ofDirection = direction === null ? '' : `AND direction = '${direction}'`;
  const newest =
    cursor === null
      ? `SELECT ${counter} - $2::bigint FROM party_counter WHERE address = $1`
      : `SELECT ${sequence} - 1 FROM operation_party WHERE operation_id = $2 AND address = $1 ${ofDirection}`;
  return {
    name: `history-${counter}-${cursor === null ? 'offset' : 'cursor'}`,
    text: `SELECT operation_id, ${sequence} AS position FROM operation_party
           WHERE address = $1 ${ofDirection} AND ${sequence} <= (${newest}) ORDER BY ${sequence} DESC`,
    values: [address, cursor ?? offset],
  };
}
