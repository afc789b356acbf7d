import { TransactionReceiptNotFoundError, type Address, type Hex, type PublicClient } from 'viem';
import { askNode } from '../rpc/chain-error.js';
import { broadcast } from '../transactions/broadcast.js';
import { readMarket } from './fees.js';
import type { AgreedReceipt, LaneChain } from './ports.js';

/** The part of a chain connection that the lane needs. */
interface AgreeingConnection {
  readonly chainId: number;
  readonly client: PublicClient;
  readonly agree: <T>(read: (client: PublicClient) => Promise<T>, toKey?: (answer: T) => string) => Promise<T>;
  readonly agreedHead: () => Promise<bigint>;
}

/** Adapts a connection to a lane: a quorum answers everything that decides about money, any node the rest. */
export function laneChain(connection: AgreeingConnection, address: Address): LaneChain {
  const { chainId, client } = connection;
  return {
    chainId,
    head: () => connection.agreedHead(),
    nonceAt: async (blockNumber) => {
      const count = await connection.agree((node) => askNode(() => node.getTransactionCount({ address, blockNumber })));
      return BigInt(count);
    },
    balanceAt: (blockNumber) => connection.agree((node) => askNode(() => node.getBalance({ address, blockNumber }))),
    market: () => readMarket(client),
    receipt: (hash) => connection.agree((node) => readReceipt(node, hash), toReceiptKey),
    broadcast: (raw) => broadcast(client, raw),
  };
}

async function readReceipt(client: PublicClient, hash: Hex): Promise<AgreedReceipt | null> {
  try {
    const receipt = await client.getTransactionReceipt({ hash });
    const { status, blockNumber, blockHash, gasUsed, effectiveGasPrice, logs } = receipt;
    const feePaid = gasUsed * effectiveGasPrice;
    return { hash, status, block: { number: blockNumber, hash: blockHash }, feePaid, logs };
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError) return null;
    throw error;
  }
}

/** Maps receipts that mean the same end of a call to the same key. */
function toReceiptKey(receipt: AgreedReceipt | null): string {
  if (receipt === null) return 'none';
  const { status, block, feePaid, logs } = receipt;
  const events = logs.map(({ address, topics, data }) => [address.toLowerCase(), topics, data]);
  return JSON.stringify([status, String(block.number), block.hash, String(feePaid), events]);
}
