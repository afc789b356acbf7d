import type { AdminChange, AdminEventName, AdminOperationRow, AdminOperationsResponse } from '@causeway/protocol/admin';
import type { Query, QueryClient, QueryKey } from '@tanstack/react-query';
import type { Query as Filters } from './client.js';

/** Default rows per page. */
const PAGE_SIZE = 50;

/** Returns whether a row matches filters; null for a search, which only the server can evaluate. */
function matches(row: AdminOperationRow, filters: Filters): boolean | null {
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
 * Applies a changed operation to a page: replaces its row, adds it to the first page, or removes it if it does not
 * match the filters. Returns the same object if nothing changes.
 */
export function applyOperation(
  page: AdminOperationsResponse,
  filters: Filters,
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
  // The page grows instead of dropping its last row, because the next page's cursor starts after that row.
  return { ...page, operations: [row, ...operations] };
}

/** How long to collect changes before pages read again, so that a burst of events causes one read. */
const COLLECT_MS = 100;

/** Applies the events of the stream to the data of the pages. */
export class LiveUpdates {
  private readonly changes = new Set<AdminChange>();
  private readonly keys = new Map<string, QueryKey>();
  private timer: ReturnType<typeof setTimeout> | null = null;

  constructor(private readonly client: QueryClient) {}

  /** @param data the JSON of the event. */
  apply(name: AdminEventName, data: string): void {
    if (name === 'operation') this.applyRow(JSON.parse(data) as AdminOperationRow);
    if (name !== 'changed') return;
    const { what } = JSON.parse(data) as { what: AdminChange };
    this.changes.add(what);
    this.readLater();
  }

  /** Reads everything again, after missing events or a possible end of the session. */
  readAll(): void {
    void this.client.invalidateQueries();
  }

  private applyRow(row: AdminOperationRow): void {
    for (const [key, page] of this.client.getQueriesData<AdminOperationsResponse>({ queryKey: ['operations'] })) {
      if (page === undefined) continue;
      const filters = (key[1] ?? {}) as Filters;
      const changed = applyOperation(page, filters, row);
      this.client.setQueryData(key, changed);
      if (changed.operations.length > 2 * Number(filters.limit ?? PAGE_SIZE)) this.invalidate(key);
    }
    this.invalidate(['operation', row.id]);
    this.invalidate(['intents']);
    // The change may concern a refund, whose id the row does not contain.
    this.invalidate(['refund']);
  }

  private invalidate(key: QueryKey): void {
    this.keys.set(JSON.stringify(key), key);
    this.readLater();
  }

  private readLater(): void {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      const [changes, keys] = [new Set(this.changes), [...this.keys.values()]];
      this.changes.clear();
      this.keys.clear();
      const isTouched = ({ meta }: Query) => meta?.changedBy?.some((change) => changes.has(change)) === true;
      void this.client.invalidateQueries({ predicate: isTouched });
      for (const queryKey of keys) void this.client.invalidateQueries({ queryKey });
    }, COLLECT_MS);
  }
}
