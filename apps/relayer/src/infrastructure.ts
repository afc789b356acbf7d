import { localSigner, type Signer } from '@causeway/chain';
import { openStore, type Store } from '@causeway/store';
import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { Configuration } from './configuration.js';
import { connectChains, type BridgeChains } from './bridge-chain.js';

// Injection tokens for values that have no class of their own.

/** `Configuration` */
export const CONFIGURATION = Symbol('Configuration');

/** pino's `Logger` */
export const LOGGER = Symbol('Logger');

/** `Signer` of the relayer wallet */
export const SIGNER = Symbol('Signer');

/** `BridgeChains` */
export const CHAINS = Symbol('BridgeChains');

/** `Store` */
export const STORE = Symbol('Store');

/** The external resources of the process: database, chains, wallet and log. The holder closes `store`. */
export interface Infrastructure {
  readonly configuration: Configuration;
  readonly logger: Logger;
  readonly signer: Signer;
  readonly chains: BridgeChains;
  readonly store: Store;
}

/**
 * Connects the database and both chains, and checks that each of them answers.
 *
 * @param maxConnections size of the database connection pool.
 * @throws Error naming the resource and the variable to correct.
 */
export async function connectInfrastructure(
  configuration: Configuration,
  maxConnections?: number,
): Promise<Infrastructure> {
  const logger = pino({ level: configuration.logLevel, base: { service: 'relayer' } });
  const signer = createSigner(configuration);
  const store = openStore({
    databaseUrl: configuration.databaseUrl,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    onIdleError: (error) => logger.warn({ error }, 'a database connection broke; the pool replaces it'),
  });
  try {
    await assertDatabaseAnswers(store);
    return { configuration, logger, signer, chains: await connectChains(configuration), store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

class StoreCloser implements OnApplicationShutdown {
  constructor(private readonly store: Store) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/**
 * Provides the infrastructure to the stages, and closes the database on shutdown. A module of its own: Nest shuts the
 * modules that import it down first, so the scheduler still has the database to end its runs and release the lease.
 */
@Global()
@Module({})
export class InfrastructureModule {
  static from({ configuration, logger, signer, chains, store }: Infrastructure): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: LOGGER, useValue: logger },
        { provide: SIGNER, useValue: signer },
        { provide: CHAINS, useValue: chains },
        { provide: STORE, useValue: store },
        { provide: StoreCloser, useFactory: () => new StoreCloser(store) },
      ],
      exports: [CONFIGURATION, LOGGER, SIGNER, CHAINS, STORE],
    };
  }
}

function createSigner({ relayerPrivateKey, addressBook }: Configuration): Signer {
  const signer = localSigner(relayerPrivateKey);
  if (signer.address.toLowerCase() === addressBook.relayer.toLowerCase()) return signer;
  throw new Error(
    `RELAYER_PRIVATE_KEY is the key of ${signer.address}, but ADDRESS_BOOK names the relayer ${addressBook.relayer}: ` +
      'use the key of that wallet',
  );
}

async function assertDatabaseAnswers(store: Store): Promise<void> {
  try {
    await store.ping();
  } catch (error) {
    throw new Error(`PostgreSQL does not answer (${reasonOf(error)}): check DATABASE_URL`, { cause: error });
  }
}

/** A refused connection to a host with several addresses is an AggregateError without a message. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(reasonOf).join(', ') : error.name;
}
