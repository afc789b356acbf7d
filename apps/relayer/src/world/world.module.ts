import { openStore, type Store } from '@causeway/store';
import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import { connectChains } from './connect-chains.js';
import { signerOf } from './signer-of.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from './tokens.js';

class StoreCloser implements OnApplicationShutdown {
  constructor(private readonly store: Store) {}
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** What the stages work on: the database, both chains, the wallet, the log. */
@Global()
@Module({})
export class WorldModule {
  static from(configuration: Configuration): DynamicModule {
    return {
      module: WorldModule,
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: LOGGER, useFactory: () => pino({ level: configuration.logLevel, base: { service: 'relayer' } }) },
        { provide: SIGNER, useFactory: () => signerOf(configuration) },
        { provide: CHAINS, useFactory: () => connectChains(configuration) },
        {
          provide: STORE,
          useFactory: (logger: Logger) =>
            openStore({
              databaseUrl: configuration.databaseUrl,
              onIdleError: (error) => logger.warn({ error }, 'a database connection broke; the pool replaces it'),
            }),
          inject: [LOGGER],
        },
        { provide: StoreCloser, useFactory: (store: Store) => new StoreCloser(store), inject: [STORE] },
      ],
      exports: [CONFIGURATION, LOGGER, SIGNER, CHAINS, STORE],
    };
  }
}
