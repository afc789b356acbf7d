import { Redis } from 'ioredis';

/** A call waits for its count no longer than this; then the insurance counts. */
const COMMAND_TIMEOUT_MS = 500;
const CONNECT_TIMEOUT_MS = 1_000;
/** A Redis that leaves commands unanswered for so long is given up, so that calls no longer wait for it. */
const SILENCE_MS = 1_000;
const LONGEST_PAUSE_MS = 5_000;

/** Where the connection's going and coming is told. */
export interface RedisLogger {
  warn(details: object, message: string): void;
  info(details: object, message: string): void;
}

/**
 * A connection to Redis for the limiters. It never makes a call wait for a reconnect, tries again for ever, and says once when Redis is lost and once
 * when it is back.
 *
 * @param url redis:// or rediss://
 */
export function connectRedis(url: string, logger: RedisLogger): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT_MS,
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: SILENCE_MS,
    // It became a replica: whoever is the primary now is found by connecting anew.
    reconnectOnError: ({ message }) => message.startsWith('READONLY'),
    retryStrategy: (attempt) => Math.min(attempt * 200, LONGEST_PAUSE_MS),
  });
  let lost = false;
  redis.on('error', (error: Error) => {
    if (lost) return;
    lost = true;
    // The message alone: the error carries the command, and that may be the one with the password.
    logger.warn({ problem: error.message }, 'Redis is lost; this gateway counts alone until it is back');
  });
  redis.on('ready', () => {
    if (lost) logger.info({}, 'Redis is back; the gateways count together again');
    lost = false;
  });
  return redis;
}
