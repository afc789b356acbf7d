import { setTimeout } from 'node:timers/promises';
import { connectMirrors, openSigner, type Mirror, type NodeEvent, type Signer } from '@causeway/chain';
import { describeError, readRelease } from '@causeway/service/configuration';
import { createLog } from '@causeway/service/http';
import { listAssets, type AddressBook } from '@causeway/protocol';
import { isDatabaseUnavailable, openStore, type Store } from '@causeway/store';
import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger, LoggerOptions } from 'pino';
import type { Configuration } from './configuration.js';
import type { StageTracing } from './stage-tracing.js';
import { checkChains, connectChains, eachChain, type BridgeChains } from './bridge-chain.js';

// Injection tokens for values without a class.

/** `Configuration` */
export const CONFIGURATION = Symbol('Configuration');

/** pino's `Logger` */
export const LOGGER = Symbol('Logger');

/** `Signer` of the relayer wallet */
export const SIGNER = Symbol('Signer');

/** `BridgeChains` */
export const CHAINS = Symbol('BridgeChains');

/** `Mirror` of the partner chain, or null without one */
export const MIRROR = Symbol('Mirror');

/** `Store` */
export const STORE = Symbol('Store');

/** `StageTracing`, or null without a collector */
export const TRACING = Symbol('Tracing');

/** `Clock` */
export const CLOCK = Symbol('Clock');

/** Injectable clock. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
}

/** The start waits this long for the nodes of both chains, then continues without those that are unavailable. */
const PATIENCE_MS = 3_000;

/** A claim that the database did not answer is repeated after this long. */
const CLAIM_AGAIN_MS = 2_000;

/** The external resources of the process: database, chains, wallet and log. The holder closes `store` and `chains`. */
export interface Infrastructure {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly signer: Signer;
  readonly chains: BridgeChains;
  /** Rejects when the nodes contradict the configuration, which can happen long after the start. */
  readonly chainsChecked: Promise<void>;
  /** Null when no mirror is configured. */
  readonly mirror: Mirror | null;
  readonly store: Store;
  /** Null when no collector is configured. */
  readonly tracing: StageTracing | null;
}

export interface DatabaseUse {
  /** Size of the connection pool. */
  readonly maxConnections?: number;
  /** Whether the database must accept writes, and is claimed for this deployment if unclaimed. Default: true. */
  readonly claims?: boolean;
}

/**
 * Connects the database and both chains. The database must answer and be compatible with this program. Nodes may be
 * unavailable: the stages retry, and the other chain is read meanwhile.
 *
 * @throws SignerError, IncompatibleDatabaseError, and Error that names the resource and the variable to correct.
 */
export async function connectInfrastructure(
  configuration: Configuration,
  { maxConnections, claims = true }: DatabaseUse = {},
  tracing: StageTracing | null = null,
): Promise<Infrastructure> {
  const logger = createLogger(configuration, tracing);
  const signer = await openSigner(configuration.signer, configuration.addressBook.relayer, (sentence) =>
    logger.warn(sentence),
  );
  const store = openStore({
    databaseUrl: configuration.databaseUrl,
    program: { service: 'relayer', version: readRelease().version, name: configuration.name },
    ...(maxConnections === undefined ? {} : { maxConnections }),
    onIdleError: ({ message }) =>
      logger.warn({ problem: message }, 'a database connection broke; the pool replaces it'),
  });
  const { mirrorUrls } = configuration;
  const report = (event: NodeEvent) => logNodeEvent(logger, event);
  const mirror = mirrorUrls.length === 0 ? null : connectMirrors(mirrorUrls, { report });
  const chains = connectChains(configuration, report);
  try {
    const { addressBook } = configuration;
    await unlessAway(store.ping(), () => true);
    await unlessAway(assertDatabaseFits(store, addressBook, claims));
    // Nodes of the wrong chain must not let a wrong configuration claim the database.
    const chainsChecked = checkChains(chains, addressBook).then(async () => {
      if (claims) await claimDeployment(store, addressBook);
    });
    const patience = new AbortController();
    await Promise.race([chainsChecked, setTimeout(PATIENCE_MS, undefined, { signal: patience.signal })]);
    patience.abort();
    logNodes(logger, configuration, chains);
    return { configuration, logger, signer, chains, chainsChecked, mirror, store, tracing };
  } catch (error) {
    closeChains(chains);
    await store.close();
    throw error;
  }
}

/** Closes the timers and WebSockets of both chains. */
export function closeChains(chains: BridgeChains): void {
  for (const { connection } of eachChain(chains)) connection.close();
}

class Closer implements OnApplicationShutdown {
  constructor(
    private readonly store: Store,
    private readonly chains: BridgeChains,
    private readonly tracing: StageTracing | null,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    closeChains(this.chains);
    await this.store.close();
    await this.tracing?.end();
  }
}

/**
 * Provides the infrastructure to the stages, and closes it on shutdown. It is its own module because Nest first shuts
 * down the modules that import it: the scheduler needs the database to end its runs and release the lease.
 */
@Global()
@Module({})
export class InfrastructureModule {
  static from({ configuration, logger, signer, chains, mirror, store, tracing }: Infrastructure): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: LOGGER, useValue: logger },
        { provide: SIGNER, useValue: signer },
        { provide: CHAINS, useValue: chains },
        { provide: MIRROR, useValue: mirror },
        { provide: STORE, useValue: store },
        { provide: TRACING, useValue: tracing },
        { provide: CLOCK, useValue: { now: () => Date.now() } satisfies Clock },
        { provide: Closer, useFactory: () => new Closer(store, chains, tracing) },
      ],
      exports: [CONFIGURATION, LOGGER, SIGNER, CHAINS, MIRROR, STORE, TRACING, CLOCK],
    };
  }
}

function createLogger({ logLevel: level }: Configuration, tracing: StageTracing | null): Logger {
  if (tracing === null) return createLog('relayer', level);
  // A log line that names an operation also becomes a step of its trace.
  const hooks: LoggerOptions['hooks'] = {
    logMethod(line, method) {
      tracing.noteLine(line[0], line[1]);
      method.apply(this, line);
    },
  };
  return createLog('relayer', level, { hooks });
}

function logNodeEvent(logger: Logger, { level, chain, node, message }: NodeEvent): void {
  logger[level]({ chain, node }, message);
}

function logNodes(
  logger: Logger,
  { ethereumNodes, partnerNodes, mirrorUrls }: Configuration,
  chains: BridgeChains,
): void {
  if (mirrorUrls.length === 0)
    logger.warn(
      'MIRROR_URL is not set: payments by smart accounts are not found, only reported as unexplained differences',
    );
  for (const { warning } of [ethereumNodes, partnerNodes]) if (warning !== null) logger.warn(warning);
  for (const { side, connection } of eachChain(chains)) {
    const away = connection.status().filter(({ usable, head }) => !usable || head === null);
    if (away.length > 0)
      logger.warn({ chain: side, nodes: away.map(({ name }) => name) }, 'starting without unavailable nodes');
  }
}

async function assertDatabaseFits(store: Store, book: AddressBook, takesWrites: boolean): Promise<void> {
  await store.assertCompatible(listAssets());
  await store.assertDeployment(book);
  if (takesWrites) await store.assertPrimary(Date.now);
}

/** A database that is away says nothing against the configuration, and the service runs already. */
async function claimDeployment(store: Store, book: AddressBook): Promise<void> {
  for (;;) {
    try {
      await store.claimDeployment(book);
      return;
    } catch (error) {
      if (!isDatabaseUnavailable(error)) throw error;
      await setTimeout(CLAIM_AGAIN_MS, undefined, { ref: false });
    }
  }
}

/** @throws Error that says so when the database does not answer. */
async function unlessAway(work: Promise<unknown>, isAway = isDatabaseUnavailable): Promise<void> {
  try {
    await work;
  } catch (error) {
    if (!isAway(error)) throw error;
    throw new Error(`PostgreSQL does not answer (${describeError(error)}): check DATABASE_URL`, { cause: error });
  }
}
