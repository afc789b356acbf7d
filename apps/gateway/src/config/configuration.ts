import type { BackendOptions } from '../backends/create-backend.js';
import type { RateLimits } from '../limits/create-rate-limiter.js';

/** The gateway's configuration, checked. Times in milliseconds, sizes in bytes. */
export interface Configuration {
  readonly host: string;
  readonly port: number;
  readonly backend: BackendOptions;
  readonly rateLimits: RateLimits;
  /** redis:// or rediss://; null counts in this process. */
  readonly redisUrl: string | null;
  /** Proxies whose X-Forwarded-For entries are believed. */
  readonly trustedProxyHops: number;
  readonly maxConnections: number;
  readonly bodyLimit: number;
  readonly batchLimit: number;
  readonly batchAnswerLimit: number;
  readonly callTimeoutMs: number;
  /** How long nothing may move on an HTTP connection. */
  readonly idleTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
  readonly webSocket: {
    /** 0 for no limit. */
    readonly connectionsPerAddress: number;
    readonly callsInFlight: number;
    readonly sendQueue: number;
    readonly pingIntervalMs: number;
  };
  /** `*` among them stands for every origin. */
  readonly corsOrigins: readonly string[];
  /** Where /metrics is served; null for nowhere. */
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly logLevel: string;
}

/** The token under which NestJS provides the configuration. */
export const CONFIGURATION = Symbol('Configuration');
