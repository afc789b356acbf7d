import { RateLimiter, type Client } from '@causeway/service/http';
import type { Redis } from 'ioredis';
import type { ApiKey } from './api-key.js';
import { toClient } from './clients.js';

/** Limits of a client. 0 disables a call limit; Infinity disables the connection limit. */
interface Limits {
  readonly perSecond: number;
  readonly perMinute: number;
  readonly connections: number;
}

/** Receives the usage of each key. Implementations must not throw. */
interface KeyObserver {
  keyUsed(name: string, calls: number): void;
  keyRefused(name: string, reason: 'rate' | 'connections', count: number): void;
}

interface KeyLimitsOptions {
  /** Limits of clients without a key, and defaults for keys. */
  readonly defaults: Limits;
  readonly redis: Redis | null;
  readonly observer: KeyObserver;
  readonly onRefused: (calls: number) => void;
  readonly onRedisFailed: () => void;
}

interface KeyTerms extends Limits {
  readonly name: string;
  readonly rateLimiter: RateLimiter;
}

const NO_LIMITS: Limits = { perSecond: 0, perMinute: 0, connections: Infinity };

/** The two rate windows of the specification (Limits). */
export function makeWindows(perSecond: number, perMinute: number) {
  return {
    windows: [
      { calls: perSecond, seconds: 1 },
      { calls: perMinute, seconds: 60 },
    ],
    unit: 'calls',
  };
}

/** Limits of the valid keys, by client. */
export class KeyLimits {
  private terms: ReadonlyMap<string, KeyTerms> = new Map();

  constructor(private readonly options: KeyLimitsOptions) {}

  find({ key }: Client): KeyTerms | undefined {
    return this.terms.get(key);
  }

  /** Applies the limits of these keys. A key's usage still counts while its rates are unchanged. */
  apply(keys: readonly ApiKey[]): void {
    const { defaults } = this.options;
    this.terms = new Map(
      keys.map(({ name, unlimited, perSecond, perMinute, connections }) => {
        const limits =
          unlimited === true
            ? NO_LIMITS
            : {
                perSecond: perSecond ?? defaults.perSecond,
                perMinute: perMinute ?? defaults.perMinute,
                connections: connections ?? defaults.connections,
              };
        const client = toClient(name);
        const before = this.find(client);
        const isSame = before?.perSecond === limits.perSecond && before.perMinute === limits.perMinute;
        const rateLimiter = isSame ? before.rateLimiter : this.createRateLimiter(limits);
        return [client.key, { ...limits, name, rateLimiter }];
      }),
    );
  }

  /** Counts the admitted and refused calls of a key. Ignores clients without a key. */
  record(client: Client, used: number, refused: number, reason: 'rate' | 'connections'): void {
    const terms = this.find(client);
    if (terms === undefined) return;
    this.options.observer.keyUsed(terms.name, used);
    this.options.observer.keyRefused(terms.name, reason, refused);
  }

  private createRateLimiter({ perSecond, perMinute }: Limits): RateLimiter {
    const { redis, onRefused, onRedisFailed } = this.options;
    const keyPrefix = 'causeway:gateway:keys';
    const limits = { ...makeWindows(perSecond, perMinute), keyPrefix };
    return new RateLimiter(limits, { redis, onRefused, onRedisFailed, mostClients: 1 });
  }
}
