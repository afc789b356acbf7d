import { createPublicClient, defineChain, fallback, http, type PublicClient } from 'viem';
import { askNode } from './ask-node.js';
import { NodeUnavailableError, WrongChainError } from './chain-error.js';
import { classifyRpcError } from './classify-rpc-error.js';

/** A chain and how to reach it. */
export interface ChainOptions {
  readonly name: string;
  readonly chainId: number;
  /** JSON-RPC addresses; the next one is asked when one fails. */
  readonly urls: readonly string[];
  readonly timeoutMs?: number;
}

/** A connected chain. */
export interface ChainConnection {
  readonly name: string;
  readonly chainId: number;
  readonly client: PublicClient;
  /**
   * Every address must answer, with the expected chain.
   *
   * @throws WrongChainError, NodeUnavailableError naming the address.
   */
  readonly assertChainId: () => Promise<void>;
  /**
   * Milliseconds the node takes to tell its newest block.
   *
   * @throws NodeUnavailableError when none answers.
   */
  readonly ping: () => Promise<number>;
}

/** Connects to the nodes of a chain. Requests of the same moment share one HTTP request. */
export function connectChain({ name, chainId, urls, timeoutMs = 10_000 }: ChainOptions): ChainConnection {
  const chain = defineChain({
    id: chainId,
    name,
    nativeCurrency: { name: 'native', symbol: 'native', decimals: 18 },
    rpcUrls: { default: { http: [...urls] } },
  });
  const transports = urls.map((url) => http(url, { timeout: timeoutMs, retryCount: 1, batch: { batchSize: 100 } }));
  const client = createPublicClient({
    chain,
    // Every address is tried twice by itself; the list is gone through once.
    transport: transports.length === 1 && transports[0] ? transports[0] : fallback(transports, { retryCount: 0 }),
    // The newest block decides about finality: never from a cache.
    cacheTime: 0,
    pollingInterval: 500,
  });
  return {
    name,
    chainId,
    client,
    assertChainId: async () => {
      for (const url of urls) {
        const found = await chainIdOf(url, timeoutMs);
        if (found !== chainId) throw new WrongChainError(url, chainId, found);
      }
    },
    ping: async () => {
      const startedAt = performance.now();
      await askNode(() => client.getBlockNumber());
      return Math.round(performance.now() - startedAt);
    },
  };
}

async function chainIdOf(url: string, timeoutMs: number): Promise<number> {
  const client = createPublicClient({ transport: http(url, { timeout: timeoutMs }) });
  try {
    return await client.getChainId();
  } catch (error) {
    // Only the origin: the path of a provider's address holds the key.
    const { message } = classifyRpcError(error);
    throw new NodeUnavailableError(`${new URL(url).origin}: ${message}`, { cause: error });
  }
}
