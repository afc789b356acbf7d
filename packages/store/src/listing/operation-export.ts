import { assetInfo, listAssets, type Asset } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import { computeRange, type TimeKey } from './keyset.js';
import { filterValues, matchesInSql, type OperationFilters } from './operation-filters.js';
import { OF_HASH, buildPlacesQuery } from './operation-listing.js';
import { query } from '../sql/query.js';

/** Rows per query, about 400 bytes each. */
const CHUNK = 5_000;

const units = (column: string) =>
  `trim_scale(o.${column} * CASE o.asset ${listAssets()
    .map((asset) => `WHEN '${asset}' THEN ${oneUnit(asset)}`)
    .join(' ')} END)`;
/** The format of `Date.toISOString`. */
const time = (column: string) => `to_char(o.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The columns of the export. Amounts are in whole units of the asset. Columns named `Atomic` are exact integers, which
 * a spreadsheet rounds to 15 digits unless it reads them as text. Times are ISO 8601 in UTC. No column has user text:
 * all values are names of the bridge, hex, numbers or times, so a spreadsheet treats none as a formula.
 */
const listColumns = (): Readonly<Record<string, string>> => ({
  id: 'o.id',
  kind: 'o.kind',
  asset: 'o.asset',
  direction: 'o.direction',
  status: 'o.status',
  delayedReason: `CASE o.status WHEN 'DELAYED' THEN o.delayed_reason END`,
  failureReason: 'o.failure_reason',
  amount: units('amount'),
  amountAtomic: 'o.amount',
  fee: units('fee'),
  feeAtomic: 'o.fee',
  outputAmount: units('output_amount'),
  outputAmountAtomic: 'o.output_amount',
  sender: 'o.sender',
  recipient: 'o.recipient',
  originTxHash: 'o.origin_tx_hash',
  destinationTxHash: 'o.destination_tx_hash',
  originConfirmations: 'o.origin_confirmations',
  requiredConfirmations: 'o.required_confirmations',
  createdAt: time('created_at'),
  settledAt: time('settled_at'),
  updatedAt: time('updated_at'),
});

/** A CSV line with its key. */
interface ExportedRow extends TimeKey {
  readonly line: string;
}

/** The operations to export. `search`: an id, a transaction hash or an address, lower-case; null for all. */
export interface ExportQuery {
  readonly filters: OperationFilters;
  readonly search: Hex | null;
}

/** Exports operations as comma-separated values (RFC 4180), newest first. */
export class OperationExport {
  constructor(private readonly pool: Pool) {}

  /**
   * Reads the rows in pages, so that a slow reader holds no connection. Each row appears once, as of the read of its
   * page. Operations that begin during the export are left out.
   *
   * @yields whole lines, the header first.
   */
  async *csv({ filters, search }: ExportQuery): AsyncGenerator<string, void, void> {
    let page = await this.page(filters, search, null);
    yield `${Object.keys(listColumns()).join(',')}\r\n`;
    while (page.length > 0) {
      const last = page.at(-1);
      yield page.map(({ line }) => line).join('');
      if (last === undefined || page.length < CHUNK) return;
      page = await this.page(filters, search, last);
    }
  }

  /** One page of lines after a row; the first page for null. */
  private async page(filters: OperationFilters, search: Hex | null, after: TimeKey | null): Promise<ExportedRow[]> {
    const start = after === null ? null : ({ way: 'older', key: after } as const);
    const { text, values } =
      search === null
        ? buildPlacesQuery(filters, computeRange(start, filters.from, filters.until), false, CHUNK)
        : {
            text: `SELECT o.id, o.created_at FROM operation o WHERE ${ofSearch(search)} AND ${matchesInSql(2)}
              AND (o.created_at, o.id) < ($9::timestamptz, $10::text)
              ORDER BY o.created_at DESC, o.id DESC LIMIT ${CHUNK}`,
            values: [search, ...filterValues(filters), after?.at ?? 'infinity', after?.id ?? ''],
          };
    const rows = await query<ExportedRow>(this.pool, {
      text: `SELECT concat(${Object.values(listColumns()).join(`, ',', `)}, E'\\r\\n') AS line, o.created_at AS at, o.id FROM (${text}) place
       CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = place.id OFFSET 0) o
       ORDER BY place.created_at DESC, place.id DESC`,
      values: [...values],
    });
    return rows;
  }
}

function ofSearch(search: Hex): string {
  if (search.length === 42) return 'o.id IN (SELECT operation_id FROM operation_party WHERE address = $1)';
  return `o.id IN (${OF_HASH})`;
}

function oneUnit(asset: Asset): string {
  return `0.${'1'.padStart(assetInfo(asset).decimals, '0')}`;
}
