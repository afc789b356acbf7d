import type { AddressBook } from '@causeway/protocol';
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
import type { StackFile } from './stack-file.js';

/** Clients for one chain. */
export interface ChainClients {
  readonly client: PublicClient;
  readonly getWallet: (account: TestAccount) => WalletClient<Transport, Chain, Account>;
}

/** Clients for the development node that stands for Ethereum. */
export interface EthereumClients extends ChainClients {
  /** The node's development methods: mining, snapshots, reverts. */
  readonly test: TestClient<'anvil', Transport, Chain>;
}

/**
 * Makes the clients of a chain. Both chains get all of them; only anvil answers `test`.
 *
 * @param authorization header of each request: the gateway's limits for clients without a key are low.
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

/** Clients for both chains of a running stack, with everything that a user of the bridge needs. */
interface ConnectedStack {
  readonly stack: StackFile;
  readonly book: AddressBook;
  readonly ethereum: EthereumClients;
  readonly partner: ChainClients;
}

/** Connects to a running stack, described by its `stack.json`. */
export function connect(stack: StackFile): ConnectedStack {
  const { ethereum, partner, addressBook } = stack;
  return {
    stack,
    book: addressBook,
    ethereum: chainClients('ethereum', ethereum.chainId, ethereum.rpcUrl),
    partner: chainClients('partner', partner.chainId, partner.rpcUrl),
  };
}
