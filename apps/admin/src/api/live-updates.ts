import type { AdminChange, AdminEventName, AdminOperationRow, AdminOperationsResponse } from '@causeway/protocol/admin';
import type { QueryClient } from '@tanstack/react-query';
import type { Query } from './client.js';

/** The resources that each kind of change touches: first words of query keys. */
const TOUCHED: Readonly<Record<AdminChange, readonly string[]>> = {
  requests: ['requests', 'request', 'refunds', 'refund', 'overview', 'members', 'operation', 'alerts'],
  halts: ['overview', 'alerts', 'relayers'],
  refunds: ['refunds', 'refund', 'overview', 'operation', 'alerts'],
  lease: ['relayers', 'overview', 'alerts'],
  audit: ['audit'],
};

/** Rows of a page where the query names no limit. */
const PAGE_SIZE = 50;

/** Whether a row belongs to a list. Null: only the server knows, since it searched. */
function matches(row: AdminOperationRow, filters: Query): boolean | null {
  if (filters.search !== undefined) return null;
  const { status, delay, asset, direction, kind, from, until } = filters;
  return (
    (status === undefined || status === row.status) &&
    (delay === undefined || delay === row.delayedReason) &&
    (asset === undefined || asset === row.asset) &&
    (direction === undefined || direction === row.direction) &&
    (kind === undefined || kind === row.kind) &&
    (from === undefined || Date.parse(row.createdAt) >= Date.parse(String(from))) &&
    (until === undefined || Date.parse(row.createdAt) < Date.parse(String(until)))
  );
}

/**
 * A page of operations after one of them changed: the row is replaced, added to the first page, or removed where it no
 * longer matches. Returns the same page when nothing changes.
 */
export function applyOperation(
  page: AdminOperationsResponse,
  filters: Query,
  row: AdminOperationRow,
): AdminOperationsResponse {
  const { operations } = page;
  const index = operations.findIndex(({ id }) => id === row.id);
  const belongs = matches(row, filters);
  if (index !== -1) {
    const changed = belongs === false ? operations.toSpliced(index, 1) : operations.with(index, row);
    return { ...page, operations: changed };
  }
  const newest = operations[0];
  const isNewer = newest === undefined || Date.parse(row.createdAt) >= Date.parse(newest.createdAt);
  const isFirstPage = filters.cursor === undefined && page.previousCursor === null;
  if (belongs !== true || !isNewer || !isFirstPage) return page;
  // The page grows instead of losing its last row: the cursor of the next page was made after that row.
  return { ...page, operations: [row, ...operations] };
}

/** How long changes are collected before the pages read again, so that a burst of events is one read. */
const COLLECT_MS = 100;

/** Brings the events of the stream into what the pages show. */
export class LiveUpdates {
  private readonly pending = new Map<string, readonly string[]>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly client: QueryClient) {}

  /** @param data the JSON of the event. */
  apply(name: AdminEventName, data: string): void {
    if (name === 'operation') this.applyRow(JSON.parse(data) as AdminOperationRow);
    if (name !== 'changed') return;
    const { what } = JSON.parse(data) as { what: AdminChange };
    for (const resource of TOUCHED[what]) this.invalidate([resource]);
  }

  /** Events are missing, or the session may have ended: everything is read again. */
  readAll(): void {
    void this.client.invalidateQueries();
  }

  private applyRow(row: AdminOperationRow): void {
    for (const [key, page] of this.client.getQueriesData<AdminOperationsResponse>({ queryKey: ['operations'] })) {
      if (page === undefined) continue;
      const filters = (key[1] ?? {}) as Query;
      const changed = applyOperation(page, filters, row);
      this.client.setQueryData(key, changed);
      if (changed.operations.length > 2 * Number(filters.limit ?? PAGE_SIZE)) this.invalidate(key as string[]);
    }
    this.invalidate(['operation', row.id]);
    this.invalidate(['intents']);
    // The end of a transfer to the relayer wallet is the state of its refund, whose id the row does not name.
    this.invalidate(['refund']);
  }

  private invalidate(key: readonly string[]): void {
    this.pending.set(JSON.stringify(key), key);
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const keys = [...this.pending.values()];
      this.pending.clear();
      for (const queryKey of keys) void this.client.invalidateQueries({ queryKey });
    }, COLLECT_MS);
  }
}
