import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  defineChain,
  http,
  type Account,
  type Chain,
  type PublicClient,
  type TestClient,
  type Transport,
  type WalletClient,
} from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import type { TestAccount } from './test-accounts.js';

/** How tests and the demo reach one chain. */
export interface ChainClients {
  readonly client: PublicClient;
  readonly walletOf: (account: TestAccount) => WalletClient<Transport, Chain, Account>;
}

/** A chain whose node can be told to misbehave: the development node that stands for Ethereum. */
export interface EthereumClients extends ChainClients {
  /** Development methods of the node: when it mines, reorgs. */
  readonly test: TestClient<'anvil', Transport, Chain>;
}

/** Clients of a chain behind one URL. */
export function chainClients(name: string, chainId: number, url: string): EthereumClients {
  const transport = http(url);
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 100, cacheTime: 0 }),
    test: createTestClient({ mode: 'anvil', chain, transport }),
    walletOf: ({ privateKey }) => createWalletClient({ chain, transport, account: privateKeyToAccount(privateKey) }),
  };
}
