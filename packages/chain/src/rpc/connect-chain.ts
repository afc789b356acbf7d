import { createPublicClient, defineChain, fallback, http, type PublicClient } from 'viem';
import { askNode, classifyRpcError, NodeUnavailableError, WrongChainError } from './chain-error.js';

/** A chain and how to reach it. */
interface ChainOptions {
  readonly name: string;
  readonly chainId: number;
  /** JSON-RPC URLs in order of preference: a failing node is replaced by the next one. */
  readonly urls: readonly string[];
  readonly timeoutMs?: number;
}

/** A connected chain. */
export interface ChainConnection {
  readonly name: string;
  readonly chainId: number;
  readonly client: PublicClient;
  /**
   * Checks that every node answers and serves the expected chain.
   *
   * @throws WrongChainError, NodeUnavailableError naming the node.
   */
  readonly assertChainId: () => Promise<void>;
  /**
   * Measures how long a node takes to return its newest block number, in milliseconds.
   *
   * @throws NodeUnavailableError when no node answers.
   */
  readonly ping: () => Promise<number>;
}

/** Connects to the nodes of a chain. Concurrent requests are sent as one HTTP batch. */
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
    // Each transport retries once itself, so the failover runs through the list once.
    transport: transports.length === 1 && transports[0] ? transports[0] : fallback(transports, { retryCount: 0 }),
    // Finality depends on the newest block, so block numbers are never cached.
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
    // Only the origin: the path of a provider's URL contains the API key.
    const { message } = classifyRpcError(error);
    throw new NodeUnavailableError(`${new URL(url).origin}: ${message}`, { cause: error });
  }
}
