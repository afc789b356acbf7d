import { Redis } from 'ioredis';

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
    logger.warn({ problem: error.message }, 'Redis is lost; this gateway counts alone until it is back');
  });
  redis.on('ready', () => {
    if (lost) logger.info({}, 'Redis is back; the gateways count together again');
    lost = false;
  });
  return redis;
}
