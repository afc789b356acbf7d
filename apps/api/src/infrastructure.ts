import { readRelease } from '@causeway/service/configuration';
import { connectChain, connectMirrors, type ChainConnection, type Mirror, type NodeEvent } from '@causeway/chain';
import { openStore, type Store } from '@causeway/store';
import type { OnApplicationShutdown, Provider } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from './configuration.js';

export interface Chains {
  readonly ethereum: ChainConnection;
  readonly partner: ChainConnection;
}

/** A client is waiting, so a slower node counts as unavailable. Milliseconds. */
const NODE_TIMEOUT_MS = 2_000;

// Injection tokens for values without a class of their own.

/** The `Configuration` of the process. */
export const CONFIGURATION = Symbol('Configuration');
/** The `Chains`. */
export const CHAINS = Symbol('Chains');
/** The `Mirror` of the partner chain; null when none is configured. */
export const MIRROR = Symbol('Mirror');
/** The `Store` of @causeway/store. */
export const STORE = Symbol('Store');

/** Database connections of the admin API, separate so that a console cannot slow down the public API. */
const ADMIN_CONNECTIONS = 5;

class Closer implements OnApplicationShutdown {
  constructor(
    private readonly store: Store,
    private readonly chains: readonly ChainConnection[],
  ) {}
  async onApplicationShutdown(): Promise<void> {
    for (const chain of this.chains) chain.close();
    await this.store.close();
  }
}

/** Provides the configuration, the database and both chains, and closes them on shutdown. */
export function infrastructureProviders(configuration: Configuration): Provider[] {
  return [
    { provide: CONFIGURATION, useValue: configuration },
    {
      provide: CHAINS,
      useFactory: (logger: PinoLogger) => connectChains(configuration, logger),
      inject: [PinoLogger],
    },
    { provide: MIRROR, useFactory: (logger: PinoLogger) => openMirror(configuration, logger), inject: [PinoLogger] },
    {
      provide: STORE,
      useFactory: (logger: PinoLogger) => openPool(configuration, logger),
      inject: [PinoLogger],
    },
    {
      provide: Closer,
      useFactory: (store: Store, { ethereum, partner }: Chains) => new Closer(store, [ethereum, partner]),
      inject: [STORE, CHAINS],
    },
  ];
}

/** Provides the store of the admin API, and closes it on shutdown. */
export function adminStoreProviders(configuration: Configuration): Provider[] {
  return [
    {
      provide: STORE,
      useFactory: (logger: PinoLogger) => openPool(configuration, logger, ADMIN_CONNECTIONS),
      inject: [PinoLogger],
    },
    { provide: Closer, useFactory: (store: Store) => new Closer(store, []), inject: [STORE] },
  ];
}

function openPool({ databaseUrl }: Configuration, logger: PinoLogger, maxConnections?: number): Store {
  const onIdleError = ({ message }: Error) =>
    logger.warn({ problem: message }, 'a database connection broke; the pool replaces it');
  const program = { service: 'api', version: readRelease().version };
  return openStore({ databaseUrl, program, onIdleError, ...(maxConnections === undefined ? {} : { maxConnections }) });
}

function openMirror({ mirrorUrls }: Configuration, logger: PinoLogger): Mirror | null {
  if (mirrorUrls.length > 0) return connectMirrors(mirrorUrls, { report: logNodeEvents(logger) });
  logger.warn('MIRROR_URL is not set; payments by smart accounts are not checked when named as an origin');
  return null;
}

function logNodeEvents(logger: PinoLogger): (event: NodeEvent) => void {
  return ({ level, chain, node, message }) => logger[level]({ chain, node }, message);
}

function connectChains(configuration: Configuration, logger: PinoLogger): Chains {
  const { addressBook, ethereumNodes, partnerNodes, timing } = configuration;
  for (const { warning } of [ethereumNodes, partnerNodes]) if (warning !== null) logger.warn(warning);
  const report = logNodeEvents(logger);
  return {
    ethereum: connectChain({
      name: 'ethereum',
      chainId: addressBook.ethereum.chainId,
      confirmations: timing.ethereumConfirmations,
      ...ethereumNodes,
      timeoutMs: NODE_TIMEOUT_MS,
      report,
    }),
    partner: connectChain({
      name: 'partner',
      chainId: addressBook.partner.chainId,
      confirmations: timing.partnerConfirmations,
      ...partnerNodes,
      timeoutMs: NODE_TIMEOUT_MS,
      report,
    }),
  };
}
