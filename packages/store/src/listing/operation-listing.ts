import type { Pool } from 'pg';
import type { Address, Hex } from 'viem';
import { OPERATION_COLUMNS, toOperation, type Operation, type OperationRow } from '../operations/operation.js';
import { compare, toPage, computeRange, type Page, type PageRequest, type TimeKey, type TimeRange } from './keyset.js';
import {
  computeFacets,
  filterValues,
  matches,
  matchesInSql,
  type Facet,
  type OperationFilters,
} from './operation-filters.js';
import { query } from '../sql/query.js';

/** Rows of an address that a filtered page scans. Such a page can be shorter than the limit, or empty. */
const MOST_WALKED = 1_000;
/** Most operations of one transaction, above what fits into a block. */
const MOST_OF_HASH = 1_000;

const toKey = ({ createdAt, id }: Operation): TimeKey => ({ at: createdAt, id });

/**
 * All operations, newest first, for the console. The index has status, kind, asset and direction before the time, and
 * few combinations of these exist. So a page merges the newest rows of each combination that matches its filters: it
 * costs the same for any filters and at any depth.
 */
export class OperationListing {
  constructor(private readonly pool: Pool) {}

  /** One page of the operations that match the filters. */
  async page(filters: OperationFilters, request: PageRequest<TimeKey>): Promise<Page<Operation, TimeKey>> {
    const { limit, start } = request;
    const isNewer = start?.way === 'newer';
    const { name, text, values } = buildPlacesQuery(
      filters,
      computeRange(start, filters.from, filters.until),
      isNewer,
      limit + 1,
    );
    const rows = await query<OperationRow>(this.pool, {
      name: `listing-${name}`,
      // The page is selected before the join, and each operation is then looked up by its id.
      text: `SELECT ${OPERATION_COLUMNS} FROM (${text}) place
        CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = place.id OFFSET 0) o
        ORDER BY place.created_at ${getOrder(isNewer)}, place.id ${getOrder(isNewer)}`,
      values,
    });
    return toPage(rows.map(toOperation), request, toKey);
  }

  /**
   * The operations that belong to a hash: the id of an operation or a refund, or a transaction of either chain that
   * begins, pays or refunds them, or was signed to pay or refund them.
   */
  async ofHash(hash: Hex, filters: OperationFilters, request: PageRequest<TimeKey>): Promise<Page<Operation, TimeKey>> {
    const rows = await query<OperationRow>(this.pool, {
      name: 'listing-of-hash',
      text: `SELECT ${OPERATION_COLUMNS} FROM (${OF_HASH} LIMIT ${MOST_OF_HASH}) found
        CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = found.id OFFSET 0) o`,
      values: [hash],
    });
    return paginateOperations(rows.map(toOperation), filters, request);
  }

  /** The unfiltered first pages of several addresses, in one query. */
  async listNewestByAddress(
    addresses: readonly Address[],
    limit: number,
  ): Promise<ReadonlyMap<Address, Page<Operation, bigint>>> {
    const rows = await query<OperationRow & { party: Address; sequence: string }>(this.pool, {
      name: 'listing-newest-of-addresses',
      text: `SELECT ${OPERATION_COLUMNS}, place.address AS party, place.sequence FROM unnest($1::text[]) AS wanted (address)
        CROSS JOIN LATERAL (
          SELECT address, operation_id, sequence FROM operation_party
          WHERE address = wanted.address ORDER BY sequence DESC LIMIT $2) place
        CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = place.operation_id OFFSET 0) o
        ORDER BY place.address, place.sequence DESC`,
      values: [addresses, limit + 1],
    });
    const found = Map.groupBy(rows, ({ party }) => party);
    return new Map(
      addresses.map((address) => [address, toAddressPage(found.get(address) ?? [], { limit, start: null })]),
    );
  }

  /**
   * The operations of an address as sender or recipient, newest first in the order of storage. The key of a row is its
   * number in the address's history. The index does not cover filters: a filtered page scans a bounded range, so it can
   * be shorter than the limit, or empty, and still have a next page.
   */
  async ofAddress(
    address: Address,
    filters: OperationFilters,
    request: PageRequest<bigint>,
  ): Promise<Page<Operation, bigint>> {
    const { limit, start } = request;
    const isNewer = start?.way === 'newer';
    const order = getOrder(isNewer);
    const isFiltered = Object.values(filters).some((value) => value !== null);
    const places = `SELECT operation_id, sequence FROM operation_party
      WHERE address = $1 AND sequence ${isNewer ? '>' : '<'} $2::bigint ORDER BY sequence ${order}`;
    const key = start?.key ?? AFTER_ALL;
    const rows = await query<OperationRow & { sequence: string }>(this.pool, {
      name: `listing-of-address-${order}`,
      text: `SELECT ${OPERATION_COLUMNS}, place.sequence FROM (${places} LIMIT $3) place
        CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = place.operation_id OFFSET 0) o
        WHERE ${matchesInSql(5)} ORDER BY place.sequence ${order} LIMIT $4`,
      values: [address, key, isFiltered ? MOST_WALKED : limit + 1, limit + 1, ...filterValues(filters)],
    });
    const shown = toAddressPage(rows, request);
    if (!isFiltered || rows.length > limit) return shown;
    const [end] = await query<{ sequence: string }>(this.pool, {
      name: `listing-of-address-end-${order}`,
      text: `${places} OFFSET $3 LIMIT 1`,
      values: [address, key, MOST_WALKED - 1],
    });
    // The scan stopped before the end of the history: the next page continues there.
    const last = end === undefined ? null : BigInt(end.sequence);
    const [onwards, back] = isNewer ? (['newer', 'older'] as const) : (['older', 'newer'] as const);
    const beyond = last === null ? null : { way: onwards, key: last };
    const behind = start === null ? null : { way: back, key: isNewer ? start.key + 1n : start.key - 1n };
    return isNewer
      ? { ...shown, previous: beyond, next: shown.next ?? behind }
      : { ...shown, next: beyond, previous: shown.previous ?? behind };
  }
}

function toAddressPage(
  found: readonly (OperationRow & { readonly sequence: string })[],
  request: PageRequest<bigint>,
): Page<Operation, bigint> {
  const page = toPage(found, request, ({ sequence }) => BigInt(sequence));
  return { ...page, rows: page.rows.map(toOperation) };
}

/** One page of the given operations that match the filters. Pure. */
export function paginateOperations(
  operations: readonly Operation[],
  filters: OperationFilters,
  request: PageRequest<TimeKey>,
): Page<Operation, TimeKey> {
  const { start, limit } = request;
  const isNewer = start?.way === 'newer';
  const { above, below } = computeRange(start, filters.from, filters.until);
  const found = operations
    .filter((operation) => matches(operation, filters))
    .map((operation) => ({ operation, key: toKey(operation) }))
    .filter(({ key }) => (above === null || compare(key, above) > 0) && (below === null || compare(key, below) < 0))
    .toSorted((one, other) => (isNewer ? compare(one.key, other.key) : compare(other.key, one.key)))
    .slice(0, limit + 1);
  const rows = found.map(({ operation }) => operation);
  return toPage(rows, request, toKey);
}

const AFTER_ALL = 9_223_372_036_854_775_807n;

const getOrder = (isNewer: boolean) => (isNewer ? 'ASC' : 'DESC');

/** Ids of the operations of the hash $1. Each part is an index lookup. */
export const OF_HASH = `
  SELECT id FROM operation WHERE id = $1
  UNION SELECT id FROM operation WHERE origin_tx_hash = $1
  UNION SELECT operation_id FROM refund WHERE id = $1
  UNION SELECT id FROM intent WHERE proposed_origin_tx_hash = $1
  UNION SELECT e.operation_id FROM chain_cursor c JOIN chain_event e ON e.chain_id = c.chain_id AND e.tx_hash = $1
    WHERE e.name IN ('Mint', 'Release', 'Credited')
  UNION SELECT l.operation_id FROM signed_transaction s JOIN call_operation l ON l.call_id = s.call_id WHERE s.tx_hash = $1
  UNION SELECT r.operation_id FROM signed_transaction s JOIN wallet_call c ON c.id = s.call_id
    JOIN refund r ON r.id = c.refund_id WHERE s.tx_hash = $1`;

/** The query of the ids and times of a page, in page order. */
export function buildPlacesQuery(
  filters: OperationFilters,
  { above, below }: TimeRange,
  isNewer: boolean,
  limit: number,
) {
  const order = getOrder(isNewer);
  const facets = computeFacets(filters);
  const column = <F extends keyof Facet>(field: F) => facets.map((facet) => facet[field]);
  const isDelayed = filters.delay !== null;
  const ofStatus = isDelayed ? `status = 'DELAYED' AND delayed_reason = $10::"DelayReason"` : 'status = facet.status';
  return {
    name: `${isDelayed ? 'delayed' : 'facets'}-${order}`,
    text: `SELECT page.id, page.created_at
      FROM unnest($1::"OperationStatus"[], $2::"OperationKind"[], $3::"Asset"[], $4::"Direction"[])
        AS facet (status, kind, asset, direction)
      CROSS JOIN LATERAL (
        SELECT id, created_at FROM operation
        WHERE ${ofStatus} AND kind = facet.kind AND asset = facet.asset AND direction = facet.direction
          AND (created_at, id) > ($5::timestamptz, $6::text) AND (created_at, id) < ($7::timestamptz, $8::text)
        ORDER BY created_at ${order}, id ${order} LIMIT $9) page
      ORDER BY page.created_at ${order}, page.id ${order} LIMIT $9`,
    values: [
      column('status'),
      column('kind'),
      column('asset'),
      column('direction'),
      above?.at ?? '-infinity',
      above?.id ?? '',
      below?.at ?? 'infinity',
      below?.id ?? '',
      limit,
      ...(isDelayed ? [filters.delay] : []),
    ],
  };
}
