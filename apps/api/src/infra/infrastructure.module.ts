import { connectChain } from '@causeway/chain';
import { openStore, type Store } from '@causeway/store';
import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from '../config/configuration.js';
import { CHAINS, CONFIGURATION, STORE, type Chains } from './injection-tokens.js';
import { OnChainParameters } from './on-chain-parameters.js';

class StoreCloser implements OnApplicationShutdown {
  constructor(private readonly store: Store) {}
  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** The database and both chains, for all features. */
@Global()
@Module({})
export class InfrastructureModule {
  static from(configuration: Configuration): DynamicModule {
    return {
      module: InfrastructureModule,
      providers: [
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
        OnChainParameters,
      ],
      exports: [CONFIGURATION, CHAINS, STORE, OnChainParameters],
    };
  }
}

function connectChains({ addressBook, ethereumRpcUrls, partnerRpcUrls }: Configuration): Chains {
  return {
    ethereum: connectChain({ name: 'ethereum', chainId: addressBook.ethereum.chainId, urls: ethereumRpcUrls }),
    partner: connectChain({ name: 'partner', chainId: addressBook.partner.chainId, urls: partnerRpcUrls }),
  };
}
