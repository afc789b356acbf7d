import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** Allowed calls in a window of seconds that starts at a client's first call. */
export interface RateWindow {
  /** 0 turns the window off. */
  readonly calls: number;
  readonly seconds: number;
}

/** Limits of a client. */
export interface RateLimits {
  readonly windows: readonly RateWindow[];
  /** Plural name of the unit in refusals: `calls`. */
  readonly unit: string;
  /** Separates this count from others in the same Redis. */
  readonly keyPrefix: string;
}

/** The result of `take`. */
export interface RateVerdict {
  readonly admitted: number;
  /** States the limit and when to retry; empty if all are admitted. */
  readonly refusal: string;
  /** Wait before retrying the refused calls; 0 if all are admitted. */
  readonly retryAfterMs: number;
  /** The window with the fewest calls left; null for a client without limits. */
  readonly budget: { readonly limit: number; readonly remaining: number; readonly resetMs: number } | null;
}

interface RateLimiterOptions {
  /** Shared by several processes; null to count in this process. */
  readonly redis: Redis | null;
  readonly onRefused: (calls: number) => void;
  /** Called whenever Redis fails to count. */
  readonly onRedisFailed: () => void;
  /** Maximum clients counted in this process; default 100,000. Beyond it the least recent client is dropped. */
  readonly mostClients?: number;
}

/** A client's use of a window, and the window's end. */
type Usage = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/** Counts the calls of clients in one window. */
interface Counter {
  /** @param calls negative to return some. */
  add(client: string, calls: number): Promise<Usage>;
}

interface CountedWindow extends RateWindow {
  readonly counter: Counter;
}

/**
 * Counts the calls of each client in all windows, in this process or in Redis. While Redis fails, this process counts
 * alone.
 *
 * A call refused by one window does not count in the later windows: a burst of a second does not consume the minute.
 */
export class RateLimiter {
  private readonly windows: readonly CountedWindow[];
  /** Value of the header RateLimit-Policy, `100;w=1, 3000;w=60`. */
  private readonly policy: string;

  constructor(
    private readonly limits: RateLimits,
    private readonly options: RateLimiterOptions,
  ) {
    this.windows = limits.windows
      .filter(({ calls }) => calls > 0)
      .map((window) => ({ ...window, counter: createCounter(window, limits.keyPrefix, options) }));
    this.policy = this.windows.map(({ calls, seconds }) => `${calls};w=${seconds}`).join(', ');
  }

  async take(ip: string, calls: number): Promise<RateVerdict> {
    let admitted = calls;
    let retryAfterMs = 0;
    let budget: RateVerdict['budget'] = null;
    for (const window of this.windows) {
      if (admitted === 0) break;
      const { consumedPoints, msBeforeNext } = await window.counter.add(ip, admitted);
      const free = Math.max(0, window.calls - (consumedPoints - admitted));
      if (free < admitted) retryAfterMs = Math.max(retryAfterMs, msBeforeNext);
      admitted = Math.min(admitted, free);
      const remaining = Math.max(0, window.calls - consumedPoints);
      if (budget === null || remaining <= budget.remaining) {
        budget = { limit: window.calls, remaining, resetMs: msBeforeNext };
      }
    }
    if (admitted === calls) return { admitted, refusal: '', retryAfterMs, budget };
    this.options.onRefused(calls - admitted);
    const allowed = this.windows
      .map((window) => `${window.calls} ${this.limits.unit} in ${window.seconds} s`)
      .join(' and ');
    const refusal = `${allowed}; try again in ${Math.ceil(retryAfterMs / 100) / 10} s`;
    return { admitted, refusal, retryAfterMs, budget };
  }

  /** Returns one call that turned out not to count. */
  async uncount(ip: string): Promise<void> {
    await Promise.all(this.windows.map(({ counter }) => counter.add(ip, -1)));
  }

  /** Builds the rate-limit headers, in whole seconds (draft-ietf-httpapi-ratelimit-headers). */
  headers({ budget, retryAfterMs }: RateVerdict): Record<string, string> {
    if (budget === null) return {};
    return {
      'ratelimit-limit': String(budget.limit),
      'ratelimit-remaining': String(budget.remaining),
      'ratelimit-reset': String(Math.ceil(budget.resetMs / 1_000)),
      'ratelimit-policy': this.policy,
      ...(retryAfterMs > 0 ? { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) } : {}),
    };
  }
}

/** About 200 bytes each. */
const MOST_CLIENTS = 100_000;

/** Counts in memory, bounded for any number of addresses. */
class MemoryCounter implements Counter {
  private readonly windows: LRUCache<string, { calls: number; readonly endsAtMs: number }>;

  constructor(
    private readonly seconds: number,
    mostClients: number,
  ) {
    this.windows = new LRUCache({ max: mostClients });
  }

  async add(client: string, calls: number): Promise<Usage> {
    const nowMs = Date.now();
    let window = this.windows.get(client);
    if (window === undefined || window.endsAtMs <= nowMs) {
      window = { calls: 0, endsAtMs: nowMs + 1_000 * this.seconds };
      this.windows.set(client, window);
    }
    window.calls = Math.max(0, window.calls + calls);
    return { consumedPoints: window.calls, msBeforeNext: window.endsAtMs - nowMs };
  }
}

/** Counts in Redis, or in this process while Redis fails. */
class RedisCounter implements Counter {
  constructor(
    private readonly redis: RateLimiterRedis,
    private readonly fallback: MemoryCounter,
    private readonly onFailed: () => void,
  ) {}

  async add(client: string, calls: number): Promise<Usage> {
    try {
      return await (calls < 0 ? this.redis.reward(client, -calls) : this.redis.consume(client, calls));
    } catch (error) {
      // Above the limit the library rejects with the same fields.
      if (error instanceof RateLimiterRes) return error;
      // Errors of Redis are reported nowhere else.
      this.onFailed();
      return this.fallback.add(client, calls);
    }
  }
}

function createCounter(
  { calls, seconds }: RateWindow,
  keyPrefix: string,
  { redis, onRedisFailed, mostClients = MOST_CLIENTS }: RateLimiterOptions,
): Counter {
  const memory = new MemoryCounter(seconds, mostClients);
  if (redis === null) return memory;
  const shared = new RateLimiterRedis({
    points: calls,
    duration: seconds,
    keyPrefix: `${keyPrefix}:${seconds}s`,
    storeClient: redis,
    rejectIfRedisNotReady: true,
  });
  return new RedisCounter(shared, memory, onRedisFailed);
}

/** Maximum wait for Redis; then the local fallback counts. */
const COMMAND_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 1_000;
/** Redis is disconnected after this silence, so that calls stop waiting for it. */
const SILENCE_MS = 1_000;
const MAX_RETRY_DELAY_MS = 5_000;

/**
 * Connects to Redis for rate limits. Calls never wait for a reconnect. The connection retries forever and logs once
 * when Redis becomes unavailable and once when it is back.
 *
 * @param url redis:// or rediss://
 */
export function connectRedis(
  url: string,
  logger: { warn(details: object, message: string): void; info(details: object, message: string): void },
): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    // The server became a replica; a new connection finds the primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(attempt * 200, MAX_RETRY_DELAY_MS),
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (lost) return;
    lost = true;
    // Only the message: the error contains the command, possibly with the password.
    logger.warn({ problem: error.message }, 'Redis is unavailable; this process counts rates alone until it is back');
  });
  redis.on('ready', () => {
    if (lost) logger.info({}, 'Redis is back; the processes share their counts again');
    lost = false;
  });
  return redis;
}
