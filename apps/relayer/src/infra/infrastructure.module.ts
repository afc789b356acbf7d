import type { Store } from '@causeway/store';
import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Infrastructure } from './infrastructure.js';
import { CHAINS, CONFIGURATION, LOGGER, SIGNER, STORE } from './injection-tokens.js';

class StoreCloser implements OnApplicationShutdown {
  constructor(private readonly store: Store) {}

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}

/** Provides the infrastructure to the stages, and closes the database on shutdown. */
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
