import {
  BaseError,
  createPublicClient,
  createWalletClient,
  defineChain,
  http,
  withRetry,
  type Account,
  type Address,
  type Chain,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  type Transport,
  type WalletClient,
} from 'viem';
import type { DeploymentConfig } from './deployment-config.js';

/** A chain of the bridge, or the bridge contract on that chain. */
export type ChainName = 'ethereum' | 'partner';

/** Both chains, in the order in which calls are made. */
export const CHAIN_NAMES: readonly ChainName[] = ['ethereum', 'partner'];

/** The chain ids of each environment, so that no configuration is deployed on another environment's chains. */
export const CHAIN_IDS: Readonly<Record<DeploymentConfig['environment'], Readonly<Record<ChainName, number>>>> = {
  mainnet: { ethereum: 1, partner: 327 },
  testnet: { ethereum: 11_155_111, partner: 8_901 },
  local: { ethereum: 31_337, partner: 8_901 },
};

/** One chain to deploy on: a wallet that pays, and a client that reads. */
export interface DeployTarget {
  readonly wallet: WalletClient<Transport, Chain, Account>;
  readonly client: PublicClient;
}

/** A viem chain from its id and one node. */
export function makeChain(id: number, url: string): Chain {
  return defineChain({
    id,
    name: `chain ${id}`,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
  });
}

/** Whether a node gave up a read: "resource unavailable" (EIP-1474), or geth's message for its limit of 5 seconds. */
const isSlow = (error: Error) => ('code' in error && error.code === -32_002) || /time(d )?out/i.test(error.message);

/**
 * Repeats reads that take the node too long: up to four attempts, after pauses of 0.5, 1 and 2 seconds. viem retries
 * requests without an answer. Transactions are not repeated.
 */
export function repeatReads<T extends Transport>(transport: T): T {
  return ((parameters) => {
    const node = transport(parameters);
    type Call = Parameters<typeof node.request>;
    const read = async (...call: Call) =>
      withRetry(async () => node.request(...call), {
        delay: ({ count }) => 500 << count,
        retryCount: 3,
        shouldRetry: ({ error }) => error instanceof BaseError && 'code' in error && isSlow(error),
      });
    const request = async (...call: Call) =>
      call[0].method.startsWith('eth_send') ? node.request(...call) : read(...call);
    return { ...node, request: request as typeof node.request };
  }) as T;
}

/** Connects to a node and asks for its chain id. */
export async function connectTarget(url: string, account: Account): Promise<DeployTarget> {
  const transport = repeatReads(http(url));
  const chain = makeChain(await createPublicClient({ transport }).getChainId(), url);
  return {
    client: createPublicClient({ chain, transport }),
    wallet: createWalletClient({ chain, transport, account }),
  };
}

/**
 * Sends a transaction and waits until it is mined.
 *
 * @param purpose names the transaction in the error message.
 * @throws Error when the transaction reverts.
 */
export async function sendAndWait(
  { wallet, client }: DeployTarget,
  purpose: string,
  transaction: { readonly to: Address; readonly data?: Hex; readonly value?: bigint },
): Promise<TransactionReceipt> {
  // A pause can take another branch in its block than in the estimate, and use slightly more gas.
  const estimate = await client.estimateGas({ account: wallet.account, ...transaction });
  const hash = await wallet.sendTransaction({ ...transaction, gas: (estimate * 5n) / 4n });
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  if (receipt.status !== 'success') throw new Error(`${purpose} reverted in transaction ${hash}`);
  return receipt;
}
