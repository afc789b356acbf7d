import type { RateLimiterAbstract } from 'rate-limiter-flexible';

/** One limit: so many calls in so many seconds, counted from the client's first call. */
export interface RateWindow {
  readonly calls: number;
  readonly seconds: number;
  readonly counter: Pick<RateLimiterAbstract, 'consume'>;
}
