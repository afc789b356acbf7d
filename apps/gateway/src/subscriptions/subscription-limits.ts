import type { QuotaLimits } from './quota.js';

/** How many subscriptions there may be. */
export interface SubscriptionLimits {
  /** Subscriptions of a connection, and of all. */
  readonly subscriptions: QuotaLimits;
  /** Addresses and topics in the filters of a connection's subscriptions, and of all. */
  readonly terms: QuotaLimits;
}

/** Room for every client that keeps within reason, and about 100 MB at the worst. */
export const DEFAULT_SUBSCRIPTION_LIMITS: SubscriptionLimits = {
  subscriptions: { each: 100, all: 50_000 },
  terms: { each: 10_000, all: 500_000 },
};
