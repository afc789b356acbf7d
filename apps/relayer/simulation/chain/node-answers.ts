import { PartnerChainError } from '@causeway/partner-chain';
import { numberToHex, type Address, type Hex } from 'viem';
import { transactionJson, type SimulatedBlock } from './blocks.ts';
import type { Message } from './evm.ts';
import { PoolError } from './pool.ts';
import type { CallInput, SimulatedChain } from './simulated-chain.ts';
import { InvalidTransactionError } from './transactions.ts';

/** The chain as one node sees it. */
export interface NodeView {
  readonly chain: SimulatedChain;
  /** The node's newest block: on the chain, or on a branch that the chain has left. */
  readonly head: SimulatedBlock;
  /** The state of older blocks is pruned. */
  readonly oldestState: number;
}

/** An error answer of a node. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: number;
  readonly data: Hex | undefined;

  constructor(code: number, message: string, data?: Hex) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** A filter of `eth_getLogs`. Addresses and topics as the relayer sends them. */
interface LogFilter {
  readonly address?: Address | readonly Address[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
  readonly fromBlock?: Hex;
  readonly toBlock?: Hex;
}

interface RpcCall {
  readonly from?: Address;
  readonly to?: Address;
  readonly value?: Hex;
  readonly data?: Hex;
}

type Log = Readonly<{ address: Address; topics: readonly Hex[] }>;
type Parameters = readonly unknown[];

const NOBODY: Address = `0x${'00'.repeat(20)}`;
const CALL_REVERTED = 3;
const REFUSED = -32_000;
const UNKNOWN_METHOD = -32_601;
const quantity = (value: number | bigint): Hex => numberToHex(value);

/** The methods that the relayer uses, with geth's messages and formats. */
const METHODS: Readonly<Record<string, (view: NodeView, parameters: Parameters) => unknown>> = {
  eth_chainId: ({ chain }) => quantity(chain.input.chainId),
  eth_blockNumber: ({ head }) => quantity(head.number),
  eth_getBlockByNumber: (view, [tag, whole]) => blockAt(view, tag)?.toJson(whole === true) ?? null,
  eth_getBlockByHash: (view, [hash, whole]) => findBlock(view, hash as Hex)?.toJson(whole === true) ?? null,
  eth_getBlockReceipts: (view, [at]) => findBlock(view, at as Hex)?.receipts() ?? null,
  eth_getTransactionReceipt: (view, [hash]) => {
    const place = findPlace(view, hash as Hex);
    return place === null ? null : place.block.receipts()[place.index];
  },
  eth_getTransactionByHash: (view, [hash]) => {
    const place = findPlace(view, hash as Hex);
    if (place !== null) return place.block.transactionJson(place.index);
    const pending = view.chain.pool.find(hash as Hex);
    return pending === undefined ? null : transactionJson(pending);
  },
  eth_getLogs: (view, [filter]) => logs(view, filter as LogFilter),
  eth_call: async (view, [call, tag]) =>
    run(view, call as RpcCall, tag, async (input, at) => view.chain.call(input, at)),
  eth_estimateGas: async (view, [call, tag]) => {
    const estimate = async (input: CallInput, at: SimulatedBlock | 'pending') => view.chain.estimate(input, at);
    return quantity(await run(view, call as RpcCall, tag ?? 'pending', estimate));
  },
  eth_getTransactionCount: (view, [account, tag]) => {
    if (tag === 'pending') return quantity(view.chain.pendingNonce(toAddress(account)));
    return quantity(view.chain.nonceAt(toAddress(account), stateAt(view, tag).number));
  },
  eth_getBalance: (view, [account, tag]) =>
    quantity(view.chain.balanceAt(toAddress(account), stateAt(view, tag === 'pending' ? 'latest' : tag).number)),
  eth_getCode: ({ chain }, [account]) => chain.codeAt(toAddress(account)),
  eth_gasPrice: ({ chain }) => quantity(chain.baseFeePerGas + chain.tip),
  eth_maxPriorityFeePerGas: ({ chain }) => quantity(chain.tip),
  eth_feeHistory: (view, [count, , percentiles]) => feeHistory(view, Number(count), (percentiles ?? []) as number[]),
  debug_traceTransaction: (view, [hash]) => {
    const place = findPlace(view, hash as Hex);
    const messages = place?.block.mined[place.index]?.messages;
    return messages === undefined ? null : traceMessages(messages, view.chain.input.coinUnit);
  },
  eth_sendRawTransaction: ({ chain }, [raw]) => {
    try {
      return chain.submit(raw as Hex);
    } catch (error) {
      if (error instanceof PoolError || error instanceof InvalidTransactionError)
        throw new NodeError(REFUSED, error.message);
      throw error;
    }
  },
};

/**
 * Answers a request as an honest node with this view.
 *
 * @throws NodeError
 */
export async function answer(view: NodeView, method: string, parameters: Parameters): Promise<unknown> {
  const found = METHODS[method];
  if (found === undefined) throw new NodeError(UNKNOWN_METHOD, `the method ${method} does not exist`);
  return found(view, parameters);
}

/** The block of a height, tag or hash (EIP-1898) on the node's branch; null when there is none. */
function blockAt(view: NodeView, tag: unknown): SimulatedBlock | null {
  if (typeof tag === 'object' && tag !== null && 'blockHash' in tag) return findBlock(view, tag.blockHash as Hex);
  const { chain, head } = view;
  const number = tag === 'earliest' ? 0 : typeof tag === 'string' && tag.startsWith('0x') ? Number(tag) : head.number;
  if (number > head.number) return null;
  let block = head;
  while (block.number > number && block.parent !== null && !chain.has(block)) block = block.parent;
  return block.number === number ? block : chain.blockAt(number);
}

/** The block with a hash, or at a height if `at` is one. */
function findBlock(view: NodeView, at: Hex): SimulatedBlock | null {
  if (at.length < 66) return blockAt(view, at);
  for (let block: SimulatedBlock | null = view.head; block !== null; block = block.parent) {
    if (block.hash === at) return block;
  }
  return null;
}

function findPlace(view: NodeView, hash: Hex): { block: SimulatedBlock; index: number } | null {
  const place = view.chain.place(hash);
  if (place !== undefined && blockAt(view, quantity(place.block.number)) === place.block) return place;
  // On a branch that only this node still follows.
  for (let block = view.head; !view.chain.has(block) && block.parent !== null; block = block.parent) {
    const index = block.mined.findIndex(({ transaction }) => transaction.hash === hash);
    if (index >= 0) return { block, index };
  }
  return null;
}

/** A block whose state the node has. */
function stateAt(view: NodeView, tag: unknown): SimulatedBlock {
  const block = blockAt(view, tag ?? 'latest');
  if (block === null) throw new NodeError(REFUSED, 'header not found');
  // The state of a branch that the chain has left is gone.
  if (block.number < view.oldestState || !view.chain.has(block))
    throw new NodeError(REFUSED, `missing trie node ${block.hash.slice(2)} (path ) state is not available`);
  return block;
}

/** Asks the chain, and converts its errors to those of a node. */
async function run<T>(
  view: NodeView,
  { from = NOBODY, to = NOBODY, value = '0x0', data = '0x' }: RpcCall,
  tag: unknown,
  ask: (input: CallInput, at: SimulatedBlock | 'pending') => Promise<T>,
): Promise<T> {
  const at = tag === 'pending' && view.head === view.chain.head ? 'pending' : stateAt(view, tag);
  try {
    return await ask({ from: toAddress(from), to: toAddress(to), value: BigInt(value), data }, at);
  } catch (error) {
    if (!(error instanceof PartnerChainError)) throw error;
    if (error.code !== 'EXECUTION_REVERTED') throw new NodeError(REFUSED, error.message);
    throw new NodeError(CALL_REVERTED, 'execution reverted', error.data);
  }
}

function logs(view: NodeView, { address, topics = [], fromBlock, toBlock }: LogFilter): readonly unknown[] {
  const addresses = address === undefined ? null : [address].flat().map(toAddress);
  const matches = (log: Log) =>
    (addresses === null || addresses.includes(log.address)) &&
    topics.every((wanted, index) => wanted === null || [wanted].flat().includes(log.topics[index] ?? '0x'));
  const from = blockAt(view, fromBlock ?? 'latest') ?? view.head;
  const to = blockAt(view, toBlock ?? 'latest') ?? view.head;
  const found: unknown[] = [];
  for (let number = from.number; number <= to.number; number += 1) {
    const block = blockAt(view, quantity(number));
    if (block !== null && block.mined.length > 0)
      found.push(...block.logs().filter((log) => matches(log as unknown as Log)));
  }
  return found;
}

interface Frame {
  readonly type: 'CALL';
  readonly from: Address;
  readonly to: Address;
  readonly value: Hex;
  readonly input: Hex;
  readonly error?: string;
  readonly calls: Frame[];
}

/** The call tree of a transaction, in the form of the tracer `callTracer`. */
function traceMessages(messages: readonly Message[], coinUnit: bigint): Frame | null {
  const path: Frame[] = [];
  for (const { depth, from, to, value, input, succeeded } of messages) {
    const error = succeeded ? {} : { error: 'execution reverted' };
    const frame: Frame = { type: 'CALL', from, to, value: quantity(value * coinUnit), input, ...error, calls: [] };
    path[depth - 1]?.calls.push(frame);
    path.splice(depth, path.length, frame);
  }
  return path[0] ?? null;
}

function feeHistory({ chain, head }: NodeView, count: number, percentiles: readonly number[]) {
  const blocks: SimulatedBlock[] = [];
  for (let block: SimulatedBlock | null = head; block !== null && blocks.length < count; block = block.parent)
    blocks.unshift(block);
  const next = head === chain.head ? chain.baseFeePerGas : head.baseFeePerGas;
  return {
    oldestBlock: quantity(blocks[0]?.number ?? 0),
    baseFeePerGas: [...blocks.map(({ baseFeePerGas }) => quantity(baseFeePerGas)), quantity(next)],
    gasUsedRatio: blocks.map(({ gasUsed, gasLimit }) => Number(gasUsed) / Number(gasLimit)),
    reward: blocks.map((block) => percentiles.map((percentile) => quantity(tipAt(block, percentile)))),
  };
}

/** The tip at a percentile of the block's gas. */
function tipAt({ mined, gasUsed, baseFeePerGas }: SimulatedBlock, percentile: number): bigint {
  const byTip = mined.toSorted((a, b) => (a.effectiveGasPrice < b.effectiveGasPrice ? -1 : 1));
  let gas = 0n;
  for (const one of byTip) {
    gas += one.gasUsed;
    if (gas * 100n >= gasUsed * BigInt(percentile)) return one.effectiveGasPrice - baseFeePerGas;
  }
  return 0n;
}

function toAddress(address: unknown): Address {
  return String(address).toLowerCase() as Address;
}
