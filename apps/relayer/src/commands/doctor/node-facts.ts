import {
  classifyRpcError,
  connectMirrors,
  httpTransport,
  NodeThrottledError,
  readAnnouncedChain,
} from '@causeway/chain';
import { parseEndpoint } from '@causeway/service/configuration';
import type { AddressBook, Side } from '@causeway/protocol';
import { bridgeLockAbi } from '@causeway/protocol/abi';
import { BaseError, createPublicClient, encodeFunctionData, numberToHex, type Address, type PublicClient } from 'viem';
import { readContractFacts, type ContractFacts } from './contract-facts.js';
import { describeProblem, type Fact, type NodeAnswers } from '@causeway/service/doctor';

/** The abilities that the relayer needs of a node, besides blocks. */
export const ABILITIES = ['receipts', 'logs', 'fees', 'pending', 'recentState', 'oldState'] as const;

export type Ability = (typeof ABILITIES)[number];

/** All answers of one node. No other node is asked, so that nodes can be compared. */
export interface NodeFacts extends NodeAnswers {
  readonly side: Side;
  readonly abilities: Readonly<Record<Ability, Fact<unknown>>>;
  readonly contract: Fact<ContractFacts>;
  /** The wallet's balance in wei of the RPC, and the gas price. */
  readonly wallet: Fact<{ readonly balance: bigint; readonly maxFeePerGas: bigint }>;
}

/** The announcements of a WebSocket address, which serves only new heads. */
export interface HeadFacts {
  readonly side: Side;
  /** Host and port. */
  readonly name: string;
  /** Its chain id, if it accepts the subscription. */
  readonly chainId: Fact<number>;
}

export interface MirrorFacts {
  /** Host and port. */
  readonly name: string;
  /** Response time in milliseconds. */
  readonly latencyMs: Fact<number>;
}

/** The same timeout as the relayer's. */
const TIMEOUT_MS = 10_000;
/** Far below the 128 blocks whose state geth keeps, and above what finality needs. */
const RECENT_BLOCKS = 64n;
/** A call that both contracts answer. */
const RELAYER_CALL = encodeFunctionData({ abi: bridgeLockAbi, functionName: 'relayer' });

/**
 * Reads everything from one node. Never fails: a failure is also a fact.
 *
 * @param url the node.
 */
export async function readNodeFacts(side: Side, url: string, book: AddressBook): Promise<NodeFacts> {
  const client = createPublicClient({ transport: httpTransport(url, TIMEOUT_MS), cacheTime: 0 });
  const startedAt = performance.now();
  const head = await fact(async () => {
    const { number, timestamp: timestampSeconds } = await client.getBlock();
    return { number, timestampSeconds, latencyMs: Math.round(performance.now() - startedAt) };
  });
  const name = parseEndpoint(url).host;
  // The other requests would only wait for the same timeout.
  if (!head.ok) return { side, name, ...unread(head) };
  const { number } = head.value;
  const [chainId, abilities, contract, wallet] = await Promise.all([
    fact(() => client.getChainId()),
    readAbilities(client, side, book, number),
    fact(() => readContractFacts(client, side, book)),
    fact(async () => {
      const balance = await client.getBalance({ address: book.relayer });
      const { maxFeePerGas } = await client.estimateFeesPerGas();
      return { balance, maxFeePerGas };
    }),
  ]);
  return { side, name, chainId, head, abilities, contract, wallet };
}

/** Subscribes to new heads once. Never fails. */
export async function readHeadFacts(side: Side, url: string): Promise<HeadFacts> {
  return { side, name: parseEndpoint(url).host, chainId: await fact(() => readAnnouncedChain(url, TIMEOUT_MS)) };
}

/** Asks a mirror for a transaction that does not exist. Never fails. */
export async function readMirrorFacts(url: string): Promise<MirrorFacts> {
  const { host: name } = parseEndpoint(url);
  const mirror = connectMirrors([url], { timeoutMs: TIMEOUT_MS });
  const latencyMs = await fact(() => mirror.ping());
  const isThrottled = mirror.status().some(({ throttled }) => throttled > 0);
  return { name, latencyMs: latencyMs.ok ? latencyMs : { ...latencyMs, isThrottled } };
}

function unread(head: Fact<never>): Omit<NodeFacts, 'side' | 'name'> {
  const abilities = Object.fromEntries(ABILITIES.map((ability) => [ability, head])) as NodeFacts['abilities'];
  return { chainId: head, head, abilities, contract: head, wallet: head };
}

async function readAbilities(
  client: PublicClient,
  side: Side,
  book: AddressBook,
  head: bigint,
): Promise<NodeFacts['abilities']> {
  const address: Address = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  const deployedAt = BigInt(book[side].deployedAtBlock);
  const recent = head > deployedAt + RECENT_BLOCKS ? head - RECENT_BLOCKS : deployedAt;
  const tries: Readonly<Record<Ability, () => Promise<unknown>>> = {
    receipts: async () => {
      const request = { method: 'eth_getBlockReceipts', params: [numberToHex(head)] };
      const receipts: unknown = await client.request(request as never);
      if (!Array.isArray(receipts)) throw new Error('no list of receipts');
    },
    logs: () => client.getLogs({ address, fromBlock: head, toBlock: head }),
    fees: () => client.getFeeHistory({ blockCount: 1, rewardPercentiles: [50] }),
    pending: () => client.call({ to: address, data: RELAYER_CALL, blockTag: 'pending' }),
    recentState: () => client.getBalance({ address: book.relayer, blockNumber: recent }),
    oldState: () => client.getTransactionCount({ address: book.relayer, blockNumber: deployedAt }),
  };
  const facts = await Promise.all(ABILITIES.map(async (ability) => [ability, await fact(tries[ability])] as const));
  return Object.fromEntries(facts) as NodeFacts['abilities'];
}

/** Reads a fact. Never fails. */
export async function fact<T>(read: () => Promise<T>): Promise<Fact<T>> {
  try {
    return { ok: true, value: await read() };
  } catch (cause) {
    const problem = cause instanceof BaseError ? classifyRpcError(cause) : cause;
    return { ok: false, reason: describeProblem(problem), isThrottled: problem instanceof NodeThrottledError };
  }
}
