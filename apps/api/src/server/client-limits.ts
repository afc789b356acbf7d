import {
  ClientAddresses,
  connectRedis,
  RateLimiter,
  type Client,
  type RateLimits,
  type RateVerdict,
} from '@causeway/service/http';
import { BridgeError } from '@causeway/protocol';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION } from '../infrastructure.js';
import { ApiMetrics } from './metrics.js';

/** A burst can have as many requests as two seconds allow. */
const BURST_SECONDS = 2;
/** Maximum event streams of all clients, about 50 kB each. */
const MOST_STREAMS = 10_000;

/** Rate limits per client, counted in this process or in a shared Redis. */
@Injectable()
export class ClientLimits implements OnApplicationShutdown {
  private readonly redis;
  private readonly requests: RateLimiter;
  private readonly intents: RateLimiter;
  private readonly addresses: ClientAddresses;
  /** Open event streams per client. */
  private readonly streams = new Map<string, number>();
  private openStreams = 0;

  constructor(
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    logger: PinoLogger,
    private readonly metrics: ApiMetrics,
  ) {
    const { redisUrl, rateLimits } = configuration;
    this.redis = redisUrl === null ? null : connectRedis(redisUrl, logger);
    this.addresses = new ClientAddresses(configuration.trustedProxyHops, rateLimits.exemptAddresses);
    const { requestsPerSecond, requestsPerMinute, intentsPerMinute } = rateLimits;
    const requestWindows = [
      { calls: BURST_SECONDS * requestsPerSecond, seconds: BURST_SECONDS },
      { calls: requestsPerMinute, seconds: 60 },
    ];
    this.requests = this.limiter('requests', requestWindows);
    this.intents = this.limiter('intents', [{ calls: intentsPerMinute, seconds: 60 }]);
  }

  identifyClient(request: FastifyRequest): Client {
    return this.addresses.identifyClient(request.raw);
  }

  /**
   * Counts a request of a client.
   *
   * @returns the rate limit headers, and the refusal if over the limit.
   */
  async countRequest({
    key,
    isExempt,
  }: Client): Promise<{ headers: Record<string, string>; refusal: BridgeError | null }> {
    if (isExempt) return { headers: {}, refusal: null };
    const verdict = await this.requests.take(key, 1);
    return { headers: this.requests.headers(verdict), refusal: verdict.admitted === 0 ? makeRefusal(verdict) : null };
  }

  /**
   * Registers an intent of a client. Only accepted intents count.
   *
   * @throws BridgeError RATE_LIMIT_EXCEEDED when the limit is reached; otherwise the error of `register`.
   */
  async countIntent<T>({ key, isExempt }: Client, register: () => Promise<T>): Promise<T> {
    if (isExempt) return register();
    // Counted before registering, so that concurrent requests cannot exceed the limit.
    const verdict = await this.intents.take(key, 1);
    try {
      if (verdict.admitted === 0) throw makeRefusal(verdict);
      return await register();
    } catch (error) {
      await this.intents.uncount(key);
      throw error;
    }
  }

  /**
   * Counts an open event stream of a client, in this process.
   *
   * @returns a function that must be called when the stream has ended.
   * @throws BridgeError RATE_LIMIT_EXCEEDED when the client has too many streams, SERVICE_UNAVAILABLE when all clients
   *   together do.
   */
  countStream({ key, isExempt }: Client): () => void {
    const { streamsPerClient } = this.configuration.events;
    const open = this.streams.get(key) ?? 0;
    if (streamsPerClient > 0 && open >= streamsPerClient && !isExempt) {
      this.metrics.refused('streams');
      throw new BridgeError(
        'RATE_LIMIT_EXCEEDED',
        `A client can have at most ${streamsPerClient} event streams; close one`,
      );
    }
    if (this.openStreams >= MOST_STREAMS)
      throw new BridgeError('SERVICE_UNAVAILABLE', 'This replica has no room for another event stream; try again');
    this.streams.set(key, open + 1);
    this.openStreams += 1;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.openStreams -= 1;
      const rest = (this.streams.get(key) ?? 1) - 1;
      if (rest > 0) this.streams.set(key, rest);
      else this.streams.delete(key);
    };
  }

  onApplicationShutdown(): void {
    this.redis?.disconnect();
  }

  private limiter(unit: string, windows: RateLimits['windows']): RateLimiter {
    return new RateLimiter(
      { windows, unit, keyPrefix: `causeway:api:${unit}` },
      {
        redis: this.redis,
        onRefused: () => this.metrics.refused(unit),
        onRedisFailed: () => this.metrics.redisFailed(),
      },
    );
  }
}

function makeRefusal({ refusal, retryAfterMs }: RateVerdict): BridgeError {
  const retryAfterSeconds = Math.ceil(retryAfterMs / 1_000);
  return new BridgeError('RATE_LIMIT_EXCEEDED', `A client can send ${refusal}`, { retryAfterSeconds });
}
