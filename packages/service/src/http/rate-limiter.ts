import { Redis } from 'ioredis';
import { LRUCache } from 'lru-cache';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

/** A number of calls in a number of seconds, which begin at the first call of a client. */
export interface RateWindow {
  /** 0 turns the window off. */
  readonly calls: number;
  readonly seconds: number;
}

/** How much of something a client may use. */
export interface RateLimits {
  readonly windows: readonly RateWindow[];
  /** The name of the unit in a refusal, in the plural: `calls`. */
  readonly unit: string;
  /** Tells this count from others in the same Redis. */
  readonly keyPrefix: string;
}

/** The result of `take`. */
export interface RateVerdict {
  readonly admitted: number;
  /** Says how much is allowed, and when to try again; empty if all are admitted. */
  readonly refusal: string;
  /** When the other calls may be tried again; 0 if all are admitted. */
  readonly retryAfterMs: number;
  /** The rest of the window with the fewest calls left; null for a client without limits. */
  readonly budget: { readonly limit: number; readonly remaining: number; readonly resetMs: number } | null;
}

interface RateLimiterOptions {
  /** The store that several processes share; null for the memory of this one. */
  readonly redis: Redis | null;
  readonly onRefused: (calls: number) => void;
  /** Called each time that Redis could not count in a window. */
  readonly onRedisFailed: () => void;
  /** Clients that this process counts at most; 100,000 unless given. Beyond it the least recent one is forgotten. */
  readonly mostClients?: number;
}

/** The part of a window that a client has used, and the end of the window. */
type Usage = Pick<RateLimiterRes, 'consumedPoints' | 'msBeforeNext'>;

/** Counts the calls of clients in one window. */
interface Counter {
  /** @param calls negative to take some back. */
  add(client: string, calls: number): Promise<Usage>;
}

interface CountedWindow extends RateWindow {
  readonly counter: Counter;
}

/**
 * Counts the calls of every client in all windows, in this process or in Redis. While Redis fails, this process counts
 * alone.
 *
 * A call that one window refuses does not count in the windows after it: a client that calls too fast for a second does
 * not use up its minute.
 */
export class RateLimiter {
  private readonly windows: readonly CountedWindow[];
  /** The windows as the header RateLimit-Policy writes them, `100;w=1, 3000;w=60`. */
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

  /** Takes back the count of a call that turned out not to count. */
  async uncount(ip: string): Promise<void> {
    await Promise.all(this.windows.map(({ counter }) => counter.add(ip, -1)));
  }

  /** The headers that show a client its budget, in whole seconds (draft-ietf-httpapi-ratelimit-headers). */
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

/** About 200 bytes for each. */
const MOST_CLIENTS = 100_000;

/** Counts in the memory of this process, which stays bounded however many addresses call. */
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

/** Counts in Redis, and in this process while Redis fails. */
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
      // The library rejects with the same figures when the limit is passed.
      if (error instanceof RateLimiterRes) return error;
      // Errors of Redis show nowhere else.
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

/** The longest time that a call waits for its count; then the local fallback counts. */
const COMMAND_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 1_000;
/** A Redis that is silent for longer is disconnected, so that calls no longer wait for it. */
const SILENCE_MS = 1_000;
const MAX_RETRY_DELAY_MS = 5_000;

/**
 * A connection to Redis for the rate limits. A call never waits for a reconnect. The connection retries forever, and
 * logs once when Redis is lost and once when it is back.
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
    // The server became a replica: a new connection finds the current primary.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(attempt * 200, MAX_RETRY_DELAY_MS),
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (lost) return;
    lost = true;
    // Only the message: the error contains the command, which may be the one with the password.
    logger.warn({ problem: error.message }, 'Redis is lost; this process counts alone until it is back');
  });
  redis.on('ready', () => {
    if (lost) logger.info({}, 'Redis is back; the processes count together again');
    lost = false;
  });
  return redis;
}
