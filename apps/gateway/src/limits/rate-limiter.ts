import { RateLimiterRes } from 'rate-limiter-flexible';
import type { Admission } from '../jsonrpc/admit.js';
import type { ExemptAddresses } from './exempt-addresses.js';
import type { RateWindow } from './rate-window.js';

/** What is left of the window that is nearest to its end. */
export interface RateBudget {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

/** How many calls a client may make now. */
export interface RateVerdict extends Admission {
  /** When the calls that are not admitted may be tried again; 0 if all are. */
  readonly retryAfterMs: number;
  /** Null for a client to whom no limit applies. */
  readonly budget: RateBudget | null;
}

/**
 * Counts the calls of every client in all windows (spec "Limits": 100 a second and 3,000 a minute).
 *
 * A call that one window refuses is not counted in those after it: a client that tries too fast for a second does not use up its minute.
 */
export class RateLimiter {
  readonly #windows: readonly RateWindow[];
  readonly #exempt: ExemptAddresses;
  readonly #onRefused: (calls: number) => void;
  /** The windows as the header RateLimit-Policy writes them (draft-ietf-httpapi-ratelimit-headers), `100;w=1, 3000;w=60`. */
  readonly policy: string;

  /**
   * @param windows shortest first; none means no limit.
   * @param onRefused hears of calls that were not admitted.
   */
  constructor(windows: readonly RateWindow[], exempt: ExemptAddresses, onRefused: (calls: number) => void) {
    this.#windows = windows;
    this.#exempt = exempt;
    this.#onRefused = onRefused;
    this.policy = windows.map(({ calls, seconds }) => `${calls};w=${seconds}`).join(', ');
  }

  /**
   * Takes up to `calls` calls from the client's budget.
   *
   * @param ip as `networkOf` writes it.
   * @throws Error of the store, if it has no insurance.
   */
  async take(ip: string, calls: number): Promise<RateVerdict> {
    let admitted = calls;
    let retryAfterMs = 0;
    let budget: RateBudget | null = null;
    const windows = this.#exempt.has(ip) ? [] : this.#windows;
    for (const window of windows) {
      if (admitted === 0) break;
      const { consumedPoints, msBeforeNext } = await consume(window, ip, admitted);
      const free = Math.max(0, window.calls - (consumedPoints - admitted));
      if (free < admitted) retryAfterMs = Math.max(retryAfterMs, msBeforeNext);
      admitted = Math.min(admitted, free);
      const remaining = Math.max(0, window.calls - consumedPoints);
      if (budget === null || remaining <= budget.remaining) {
        budget = { limit: window.calls, remaining, resetMs: msBeforeNext };
      }
    }
    if (admitted === calls) return { admitted, refusal: '', retryAfterMs, budget };
    this.#onRefused(calls - admitted);
    return { admitted, refusal: `${this.#allowed()}; try again in ${inSeconds(retryAfterMs)} s`, retryAfterMs, budget };
  }

  #allowed(): string {
    return this.#windows.map(({ calls, seconds }) => `${calls} calls in ${seconds} s`).join(' and ');
  }
}

function inSeconds(milliseconds: number): string {
  return (Math.ceil(milliseconds / 100) / 10).toString();
}

/** The library rejects with the same figures when the limit is passed; only a real failure is thrown on. */
async function consume(window: RateWindow, ip: string, calls: number): Promise<RateLimiterRes> {
  try {
    return await window.counter.consume(ip, calls);
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}
