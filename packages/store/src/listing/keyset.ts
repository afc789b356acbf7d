/**
 * Where a page of a list begins: after a row that was shown, towards older or towards newer ones. The key is what the
 * list is ordered by, so a page costs the same anywhere, and rows that come or go meanwhile move nothing.
 */
export interface PageStart<K> {
  readonly way: 'older' | 'newer';
  /** Of a row that the page before had. The row itself may be gone. */
  readonly key: K;
}

/** Which page of a list. */
export interface PageRequest<K> {
  /** Rows of the page, from 1 on. */
  readonly limit: number;
  /** Null for the first page, which has the newest rows. */
  readonly start: PageStart<K> | null;
}

/** One page, newest first, and where the pages before and after it begin; null at the ends of the list. */
export interface Page<T, K> {
  readonly rows: readonly T[];
  readonly next: PageStart<K> | null;
  readonly previous: PageStart<K> | null;
}

/** The key of lists that are ordered by time, newest first, and by id among rows of the same time. */
export interface TimeKey {
  readonly at: Date;
  readonly id: string;
}

/**
 * Makes a page of the rows that a query found. Pure.
 *
 * @param found in the order of the query, so oldest first towards newer rows: one row more than the limit when there
 *   are as many.
 * @param toKey the key of a row.
 */
export function toPage<T, K>(found: readonly T[], { limit, start }: PageRequest<K>, toKey: (row: T) => K): Page<T, K> {
  const isNewer = start?.way === 'newer';
  const shown = found.slice(0, limit);
  const hasMore = found.length > limit;
  const rows = isNewer ? shown.toReversed() : shown;
  const [first, last] = [rows.at(0), rows.at(-1)];
  // Behind the start of a page are the rows that were shown before it.
  const hasOlder = isNewer || hasMore;
  const hasNewer = isNewer ? hasMore : start !== null;
  return {
    rows,
    next: last === undefined || !hasOlder ? null : { way: 'older', key: toKey(last) },
    previous: first === undefined || !hasNewer ? null : { way: 'newer', key: toKey(first) },
  };
}

/** A range of keys without its ends. No id is empty, so an empty one is before all rows of its time. */
export interface TimeRange {
  readonly above: TimeKey | null;
  readonly below: TimeKey | null;
}

/**
 * The keys that a page may have. Pure.
 *
 * @param from rows at or after it; null for all.
 * @param until rows before it; null for all.
 */
export function computeRange(start: PageStart<TimeKey> | null, from: Date | null, until: Date | null): TimeRange {
  const least = from === null ? null : { at: from, id: '' };
  const most = until === null ? null : { at: until, id: '' };
  if (start === null) return { above: least, below: most };
  return start.way === 'older'
    ? { above: least, below: lower(most, start.key) }
    : { above: higher(least, start.key), below: most };
}

function lower(one: TimeKey | null, other: TimeKey): TimeKey {
  return one !== null && compare(one, other) < 0 ? one : other;
}

function higher(one: TimeKey | null, other: TimeKey): TimeKey {
  return one !== null && compare(one, other) > 0 ? one : other;
}

/** Negative when the first key is lower. Ids are lower-case hex, so their order is that of the database. */
export function compare(one: TimeKey, other: TimeKey): number {
  const byTime = one.at.getTime() - other.at.getTime();
  if (byTime !== 0) return byTime;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
