import type { Provider } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Configuration } from '../configuration.js';
import { BridgeStateService } from '../contracts/bridge-state.service.js';
import { ContractEvents } from '../contracts/contract-events.js';
import { ALL_CHANGES, ChangeFeed, type AllChanges } from '../events/change-feed.js';
import { CHAINS, MIRROR } from '../infrastructure.js';
import { OnChainParameters } from '../on-chain-parameters.js';
import { createServer } from '../server/http-server.js';
import { Drain } from '../server/shutdown.js';
import { AccessCheck } from './access/access.js';
import { AdminModule } from './admin.module.js';
import { CONSOLE_FILES, type ConsoleFiles } from './console.controller.js';

/** Multiple of the public rate: a console reads many lists, and several consoles can share an address. */
const RATE_FACTOR = 10;
/**
 * Headers of every response: other pages cannot embed it or keep a reference to its window, and caches do not store it.
 */
const HEADERS = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
} as const;
/** Providers shared with the public API. They have no Nest lifecycle hooks, which would run twice. */
const SHARED = [CHAINS, MIRROR, OnChainParameters, ContractEvents, BridgeStateService, Drain];

/**
 * Creates the server of the admin API in the process of the public API. It shares the nodes and has its own database
 * connections. The caller must make it listen, and close it before the public API.
 *
 * @param app the initialized public API.
 * @param consoleFiles the built console; null when it is not built.
 * @returns null without ADMIN_PORT.
 */
export async function createAdminServer(
  app: NestFastifyApplication,
  configuration: Configuration,
  consoleFiles: ConsoleFiles | null,
): Promise<NestFastifyApplication | null> {
  const { admin, rateLimits } = configuration;
  if (admin === null) return null;
  const own: Configuration = {
    ...configuration,
    trustedProxyHops: admin.trustedProxyHops,
    rateLimits: {
      ...rateLimits,
      requestsPerSecond: RATE_FACTOR * rateLimits.requestsPerSecond,
      requestsPerMinute: RATE_FACTOR * rateLimits.requestsPerMinute,
    },
    // Only the console may read responses.
    corsOrigins: [],
    // The public API exports metrics and traces, and counts its own clients in Redis.
    metrics: null,
    tracing: null,
    redisUrl: null,
  };
  const shared = SHARED.map((token): Provider => ({ provide: token, useValue: app.get<unknown>(token) }));
  const feed = app.get(ChangeFeed);
  // Not the feed itself: Nest would call its lifecycle hooks for this server too.
  const changes: AllChanges = {
    follow: (follower) => feed.follow(follower),
    unfollow: (follower) => feed.unfollow(follower),
  };
  shared.push({ provide: ALL_CHANGES, useValue: changes });
  shared.push({ provide: CONSOLE_FILES, useValue: consoleFiles });
  const server = await createServer(AdminModule.from(own, shared), own);
  const fastify = server.getHttpAdapter().getInstance();
  fastify.addHook('onRequest', async (_request, reply) => void reply.headers(HEADERS));
  server.get(AccessCheck).install(fastify);
  await server.init();
  return server;
}

/** @throws Error naming the variables when the address is in use. */
export async function listenForConsole(server: NestFastifyApplication, { admin }: Configuration): Promise<void> {
  if (admin === null) return;
  const { host, port } = admin;
  await server.listen(port, host).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const rule = `ADMIN_HOST and ADMIN_PORT must name a free address of this machine, not ${host}:${port} (${reason})`;
    throw new Error(rule, { cause });
  });
}
