import type { Redis } from 'ioredis';
import { RateLimiterMemory, RateLimiterRedis } from 'rate-limiter-flexible';
import type { ExemptAddresses } from './exempt-addresses.js';
import { InsuranceCounter } from './insurance-counter.js';
import { RateLimiter } from './rate-limiter.js';
import type { RateWindow } from './rate-window.js';

/** The limits of the rate; 0 turns one off. */
export interface RateLimits {
  readonly callsPerSecond: number;
  readonly callsPerMinute: number;
  /** Addresses and CIDR networks to which none applies. */
  readonly exemptAddresses: readonly string[];
}

/** What the limiter works with besides its limits. */
export interface RateLimiterParts {
  readonly exempt: ExemptAddresses;
  /** Where several gateways count together; null for this process. */
  readonly redis: Redis | null;
  /** Hears of calls that were not admitted. */
  readonly onRefused: (calls: number) => void;
  /** Hears of every message whose calls Redis could not count in a window. */
  readonly onAlone: () => void;
}

/**
 * A limiter that counts in this process, or in Redis where several gateways share it. While Redis cannot be asked, this process counts alone.
 */
export function createRateLimiter(limits: RateLimits, parts: RateLimiterParts): RateLimiter {
  const windows = [
    { calls: limits.callsPerSecond, seconds: 1 },
    { calls: limits.callsPerMinute, seconds: 60 },
  ].filter(({ calls }) => calls > 0);
  return new RateLimiter(
    windows.map(({ calls, seconds }) => ({ calls, seconds, counter: createCounter(calls, seconds, parts) })),
    parts.exempt,
    parts.onRefused,
  );
}

function createCounter(calls: number, seconds: number, { redis, onAlone }: RateLimiterParts): RateWindow['counter'] {
  const options = { points: calls, duration: seconds, keyPrefix: `causeway:gateway:calls:${seconds}s` };
  if (redis === null) return new RateLimiterMemory(options);
  return new RateLimiterRedis({
    ...options,
    storeClient: redis,
    rejectIfRedisNotReady: true,
    insuranceLimiter: new InsuranceCounter(options, onAlone),
  });
}
