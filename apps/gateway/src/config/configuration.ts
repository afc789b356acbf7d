import { readRelease, readVariables } from '@causeway/service/configuration';
import { metricsAddress } from '@causeway/service/http';
import type { z } from 'zod';
import { readKeyFile } from '../access/api-key.js';
import type { BackendOptions } from '../backends/create-backend.js';
import { gatewayVariables } from './environment.js';

/** The validated configuration. Times in milliseconds, sizes in bytes; `environment.ts` describes each value. */
export type Configuration = Readonly<ReturnType<typeof readConfiguration>>;

/** The version of the gateway, for /health and web3_clientVersion. */
export const VERSION = readRelease().version;

/** Unread bytes of one client, as a multiple of the longest answers of a batch. */
const UNREAD_BATCHES = 4;
/**
 * Unread bytes of all clients, as a multiple of those of one. Single responses have no limit, so this leaves room for
 * some.
 */
const UNREAD_CLIENTS = 4;
const LEAST_UNREAD = 512 * 1024 * 1024;

/** @throws ConfigurationError that names every missing or invalid variable, or an invalid entry of API_KEYS_FILE. */
export function readConfiguration(variables: NodeJS.ProcessEnv) {
  const env = readVariables(gatewayVariables, variables);
  const unread = UNREAD_BATCHES * env.BATCH_ANSWER_LIMIT_BYTES;
  return {
    host: env.HOST,
    port: env.PORT,
    backend: backendOptions(env),
    hasDevelopmentMethods: env.DEVELOPMENT_METHODS === 'true',
    rateLimits: {
      callsPerSecond: env.RATE_LIMIT_PER_SECOND,
      callsPerMinute: env.RATE_LIMIT_PER_MINUTE,
      exemptAddresses: env.RATE_LIMIT_EXEMPT_IPS,
    },
    apiKeys: env.API_KEYS_FILE === undefined ? null : { path: env.API_KEYS_FILE, keys: readKeyFile(env.API_KEYS_FILE) },
    redisUrl: env.REDIS_URL ?? null,
    trustedProxyHops: env.TRUSTED_PROXY_HOPS,
    maxConnections: env.MAX_CONNECTIONS,
    bodyLimit: env.BODY_LIMIT_BYTES,
    batchLimit: env.BATCH_LIMIT,
    batchAnswerLimit: env.BATCH_ANSWER_LIMIT_BYTES,
    unreadLimits: { each: unread, all: Math.max(LEAST_UNREAD, UNREAD_CLIENTS * unread) },
    callTimeoutMs: env.CALL_TIMEOUT_MS,
    idleTimeoutMs: env.HTTP_IDLE_TIMEOUT_MS,
    shutdownDelayMs: env.SHUTDOWN_DELAY_MS,
    shutdownTimeoutMs: env.SHUTDOWN_TIMEOUT_MS,
    webSocket: {
      connectionsPerAddress: env.WS_CONNECTIONS_PER_IP,
      callsInFlight: env.WS_CALLS_IN_FLIGHT,
      sendQueue: env.WS_SEND_QUEUE_BYTES,
      pingIntervalMs: env.WS_PING_INTERVAL_MS,
    },
    corsOrigins: env.CORS_ORIGINS,
    metrics: metricsAddress(env),
    logLevel: env.LOG_LEVEL,
  };
}

function backendOptions(env: z.output<typeof gatewayVariables>): BackendOptions {
  if (env.BACKEND === 'upstream') {
    return { kind: 'upstream', chainId: env.CHAIN_ID, urls: env.UPSTREAM_URLS ?? [], confirmations: env.CONFIRMATIONS };
  }
  return {
    kind: 'embedded',
    chainId: env.CHAIN_ID,
    dataDirectory: env.DATA_DIRECTORY,
    genesisFile: env.GENESIS ?? null,
    blockIntervalMs: env.BLOCK_INTERVAL_MS,
    lazyAccountGas: BigInt(env.LAZY_ACCOUNT_GAS),
    confirmations: env.CONFIRMATIONS,
    hasTimeTravel: env.DEVELOPMENT_METHODS === 'true',
    // Hardhat's helpers travel in time only on a client whose name they know.
    clientVersion: `${env.DEVELOPMENT_METHODS === 'true' ? 'anvil-methods/' : ''}Causeway/v${VERSION}`,
  };
}
