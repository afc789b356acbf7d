import { connectChain, type ChainConnection } from '@causeway/chain';
import { openStore, type Store } from '@causeway/store';
import type { OnApplicationShutdown, Provider } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from './configuration.js';

/** Both chains. */
export interface Chains {
  readonly ethereum: ChainConnection;
  readonly partner: ChainConnection;
}

// Injection tokens for values without a class of their own.

/** The `Configuration` of the process. */
export const CONFIGURATION = Symbol('Configuration');
/** The `Chains`. */
export const CHAINS = Symbol('Chains');
/** The `Store` of @causeway/store. */
export const STORE = Symbol('Store');

class StoreCloser implements OnApplicationShutdown {
  constructor(private readonly store: Store) {}
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** Provides the configuration, the database and both chains, and closes the database on shutdown. */
export function infrastructureProviders(configuration: Configuration): Provider[] {
  return [
    { provide: CONFIGURATION, useValue: configuration },
    { provide: CHAINS, useFactory: () => connectChains(configuration) },
    {
      provide: STORE,
      useFactory: (logger: PinoLogger) =>
        openStore({
          databaseUrl: configuration.databaseUrl,
          onIdleError: (error) => logger.warn({ error }, 'a database connection broke; the pool replaces it'),
        }),
      inject: [PinoLogger],
    },
    { provide: StoreCloser, useFactory: (store: Store) => new StoreCloser(store), inject: [STORE] },
  ];
}

function connectChains({ addressBook, ethereumRpcUrls, partnerRpcUrls }: Configuration): Chains {
  return {
    ethereum: connectChain({ name: 'ethereum', chainId: addressBook.ethereum.chainId, urls: ethereumRpcUrls }),
    partner: connectChain({ name: 'partner', chainId: addressBook.partner.chainId, urls: partnerRpcUrls }),
  };
}
