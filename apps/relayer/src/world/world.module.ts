import { connectChain, localSigner, type Signer } from '@causeway/chain';
import { openStore, type Store } from '@causeway/store';
import { Global, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import type { BridgeChains } from './bridge-chain.js';
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

function signerOf({ relayerPrivateKey, addressBook }: Configuration): Signer {
  const signer = localSigner(relayerPrivateKey);
  if (signer.address.toLowerCase() !== addressBook.relayer.toLowerCase()) {
    throw new Error(`The key is of ${signer.address}, but the contracts know the relayer ${addressBook.relayer}`);
  }
  return signer;
}

/** Connects both chains and refuses to start on the wrong ones. */
async function connectChains(configuration: Configuration): Promise<BridgeChains> {
  const { ethereum, partner } = configuration.addressBook;
  const chains: BridgeChains = {
    ethereum: {
      side: 'ethereum',
      chainId: ethereum.chainId,
      connection: connectChain({ name: 'ethereum', chainId: ethereum.chainId, urls: configuration.ethereumRpcUrls }),
      bridge: ethereum.bridgeLock,
      deployedAtBlock: BigInt(ethereum.deployedAtBlock),
      confirmations: configuration.ethereumConfirmations,
    },
    partner: {
      side: 'partner',
      chainId: partner.chainId,
      connection: connectChain({ name: 'partner', chainId: partner.chainId, urls: configuration.partnerRpcUrls }),
      bridge: partner.bridgeMint,
      deployedAtBlock: BigInt(partner.deployedAtBlock),
      confirmations: configuration.partnerConfirmations,
    },
  };
  await Promise.all([chains.ethereum.connection.assertChainId(), chains.partner.connection.assertChainId()]);
  return chains;
}
