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
import type { TestAccount } from './accounts.js';

/** Clients for one chain. */
export interface ChainClients {
  readonly client: PublicClient;
  readonly getWallet: (account: TestAccount) => WalletClient<Transport, Chain, Account>;
}

/** Clients for the development node that acts as Ethereum. */
export interface EthereumClients extends ChainClients {
  /** The node's development methods: mining, snapshots, reverts. */
  readonly test: TestClient<'anvil', Transport, Chain>;
}

/**
 * Makes the clients of a chain. Only anvil answers `test`.
 *
 * @param authorization header of each request, since the gateway's limits without a key are low.
 */
export function chainClients(name: string, chainId: number, url: string, authorization?: string): EthereumClients {
  const headers = authorization === undefined ? {} : { authorization };
  const transport = http(url, { fetchOptions: { headers } });
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
  return {
    client: createPublicClient({ chain, transport, pollingInterval: 100, cacheTime: 0 }),
    test: createTestClient({ mode: 'anvil', chain, transport }),
    getWallet: ({ privateKey }) => createWalletClient({ chain, transport, account: privateKeyToAccount(privateKey) }),
  };
}
