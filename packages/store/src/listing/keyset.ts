/**
 * Where a page of a list begins: after a shown row, towards older or newer rows. The key is the sort key of the list,
 * so every page costs the same, and rows added or removed meanwhile shift nothing.
 */
export interface PageStart<K> {
  readonly way: 'older' | 'newer';
  /** The key of a row on the previous page. The row itself may be gone. */
  readonly key: K;
}

/** A page of a list. */
export interface PageRequest<K> {
  /** Rows of the page, at least 1. */
  readonly limit: number;
  /** Null for the first page, which has the newest rows. */
  readonly start: PageStart<K> | null;
}

/** One page, newest first, with the starts of its neighbours; null at the ends of the list. */
export interface Page<T, K> {
  readonly rows: readonly T[];
  readonly next: PageStart<K> | null;
  readonly previous: PageStart<K> | null;
}

/** The key of lists ordered by time, then by id. */
export interface TimeKey {
  readonly at: Date;
  readonly id: string;
}

/**
 * Makes a page of the rows that a query found. Pure.
 *
 * @param found in query order, so oldest first for a page of newer rows; one row more than the limit, if there are that
 *   many.
 */
export function toPage<T, K>(found: readonly T[], { limit, start }: PageRequest<K>, toKey: (row: T) => K): Page<T, K> {
  const isNewer = start?.way === 'newer';
  const shown = found.slice(0, limit);
  const hasMore = found.length > limit;
  const rows = isNewer ? shown.toReversed() : shown;
  const [first, last] = [rows.at(0), rows.at(-1)];
  // The row at the start of a page proves that there are rows on the other side.
  const hasOlder = isNewer || hasMore;
  const hasNewer = isNewer ? hasMore : start !== null;
  return {
    rows,
    next: last === undefined || !hasOlder ? null : { way: 'older', key: toKey(last) },
    previous: first === undefined || !hasNewer ? null : { way: 'newer', key: toKey(first) },
  };
}

/** An open interval of keys. No row has an empty id, so a key with an empty id sorts before all rows of its time. */
export interface TimeRange {
  readonly above: TimeKey | null;
  readonly below: TimeKey | null;
}

/**
 * The interval of keys for a page. Pure.
 *
 * @param from includes rows at or after it; null for all.
 * @param until includes rows before it; null for all.
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

/** Negative when the first key is lower. Ids are lower-case hex, so they sort as in the database. */
export function compare(one: TimeKey, other: TimeKey): number {
  const byTime = one.at.getTime() - other.at.getTime();
  if (byTime !== 0) return byTime;
  return one.id < other.id ? -1 : Number(one.id > other.id);
}
