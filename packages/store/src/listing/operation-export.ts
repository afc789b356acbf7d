import { ASSETS, assetInfo } from '@causeway/protocol';
import type { Pool } from 'pg';
import type { Hex } from 'viem';
import { filterValues, matchesInSql, type OperationFilters } from './operation-filters.js';
import { OF_HASH } from './operation-listing.js';

/** Rows that are read together, about 400 bytes each. */
const CHUNK = 5_000;
/** The first rows wait until all are sorted. */
const QUERY_TIMEOUT_MS = 300_000;
/** A reader that takes nothing for so long is given up. */
const READER_TIMEOUT_MS = 60_000;
const LIMITS = `SET LOCAL statement_timeout = ${QUERY_TIMEOUT_MS};
  SET LOCAL idle_in_transaction_session_timeout = ${READER_TIMEOUT_MS}; SET LOCAL cursor_tuple_fraction = 1`;

const units = (column: string) =>
  `trim_scale(o.${column} * CASE o.asset ${ASSETS.map((asset) => `WHEN '${asset}' THEN ${oneUnit(asset)}`).join(' ')} END)`;
/** As JavaScript writes it. */
const time = (column: string) => `to_char(o.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The columns of the export, named as in the list. No text of a user is among them: names of the bridge, hex, numbers
 * and times. A spreadsheet treats none of them as a formula.
 */
const COLUMNS: Readonly<Record<string, string>> = {
  id: 'o.id',
  kind: 'o.kind',
  asset: 'o.asset',
  direction: 'o.direction',
  status: 'o.status',
  delayedReason: `CASE o.status WHEN 'DELAYED' THEN o.delayed_reason END`,
  failureReason: 'o.failure_reason',
  amount: 'o.amount',
  amountFormatted: units('amount'),
  fee: 'o.fee',
  outputAmount: 'o.output_amount',
  outputAmountFormatted: units('output_amount'),
  sender: 'o.sender',
  recipient: 'o.recipient',
  originTxHash: 'o.origin_tx_hash',
  destinationTxHash: 'o.destination_tx_hash',
  originConfirmations: 'o.origin_confirmations',
  requiredConfirmations: 'o.required_confirmations',
  createdAt: time('created_at'),
  settledAt: time('settled_at'),
  updatedAt: time('updated_at'),
};

/** Which operations to export. `search`: an id, a transaction hash or an address, lower-case; null for all. */
export interface ExportQuery {
  readonly filters: OperationFilters;
  readonly search: Hex | null;
}

/** Exports operations as comma-separated values (RFC 4180), newest first. */
export class OperationExport {
  constructor(private readonly pool: Pool) {}

  /**
   * Reads the rows of one moment through a cursor, so that memory stays flat.
   *
   * @yields whole lines, the header first.
   */
  async *csv({ filters, search }: ExportQuery): AsyncGenerator<string, void, void> {
    const client = await this.pool.connect();
    // A failed client must not go back to the pool.
    let failure: Error | undefined;
    const onError = (error: Error) => (failure = error);
    client.on('error', onError);
    try {
      await client.query(`BEGIN READ ONLY; ${LIMITS}`);
      const lines = `SELECT concat(${Object.values(COLUMNS).join(`, ',', `)}, E'\\r\\n') AS line FROM operation o`;
      await client.query(
        `DECLARE export NO SCROLL CURSOR FOR ${lines} WHERE ${ofSearch(search)} AND ${matchesInSql(2)}
         ORDER BY o.created_at DESC, o.id DESC`,
        [search, ...filterValues(filters)],
      );
      yield `${Object.keys(COLUMNS).join(',')}\r\n`;
      const fetch = { text: `FETCH ${CHUNK} FROM export`, query_timeout: QUERY_TIMEOUT_MS };
      for (;;) {
        const { rows } = await client.query<{ line: string }>(fetch);
        if (rows.length === 0) return;
        yield rows.map(({ line }) => line).join('');
      }
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      if (failure === undefined) await client.query('ROLLBACK').catch(onError);
      client.removeListener('error', onError);
      client.release(failure);
    }
  }
}

function ofSearch(search: string | null): string {
  if (search === null) return '$1::text IS NULL';
  if (search.length === 42) return 'o.id IN (SELECT operation_id FROM operation_party WHERE address = $1)';
  return `o.id IN (${OF_HASH})`;
}

function oneUnit(asset: (typeof ASSETS)[number]): string {
  return `0.${'1'.padStart(assetInfo(asset).decimals, '0')}`;
}
