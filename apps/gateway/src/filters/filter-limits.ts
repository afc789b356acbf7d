import type { QuotaLimits } from '../subscriptions/quota.js';

/** How many filters there may be, and how long. */
export interface FilterLimits {
  /** Filters of a client's address, and of all. */
  readonly filters: QuotaLimits;
  /** Addresses and topics in the filters of a client's address, and of all. */
  readonly terms: QuotaLimits;
  /** Milliseconds after the last poll until a filter is forgotten. */
  readonly lifetimeMs: number;
  /** How long a poll waits at most for a block that the backend has and has not told of yet, in milliseconds. */
  readonly patienceMs: number;
}

/** Five minutes, as with geth; room for every client that keeps within reason, and about 100 MB at the worst. */
export const DEFAULT_FILTER_LIMITS: FilterLimits = {
  filters: { each: 100, all: 10_000 },
  terms: { each: 20_000, all: 500_000 },
  lifetimeMs: 5 * 60_000,
  patienceMs: 2_000,
};
