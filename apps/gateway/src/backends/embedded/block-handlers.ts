import { setImmediate } from 'node:timers/promises';
import {
  makeLogMatcher,
  PartnerChainError,
  type LogQuery,
  type PartnerChain,
  type PendingBounds,
  type PlacedLog,
  type StoredBlock,
} from '@causeway/partner-chain';
import type { CallChain } from '@causeway/partner-chain/calls';
import { hexToBytes, type Hex } from 'viem';
import { LongTask, MANY_LOGS } from './call-scheduler.js';
import { FormattedBlocks, formatPendingBlock } from './format-blocks.js';
import { formatLog, formatReceipt, quantity, type RpcObject } from './format-transactions.js';

/** A block as a client names it: number, tag, or by EIP-1898. */
export type BlockParam =
  | Hex
  | 'latest'
  | 'earliest'
  | 'pending'
  | 'safe'
  | 'finalized'
  | { readonly blockNumber: Hex }
  | { readonly blockHash: Hex; readonly requireCanonical?: boolean };

/** The chain as seen by this thread and the call threads. */
type ChainView = Pick<CallChain, 'options' | 'reader' | 'headNumber'>;

/**
 * Ranges up to this many blocks are searched completely, however many logs they have: programs do not split a range of
 * two.
 */
const WHOLE_BLOCKS = 2;
/** Limits of the pending block: the pool can hold far more transactions than a block. */
export const PENDING_BOUNDS: PendingBounds = { transactions: 1_000, bytes: 1024 * 1024 };

/** The number of a block, or null. `pending` is the newest block: pending transactions are not executed yet. */
export function findBlockNumber(chain: ChainView, param: BlockParam): number | null {
  const head = chain.headNumber();
  if (typeof param === 'object') {
    return 'blockHash' in param
      ? chain.reader.findNumber(hexToBytes(param.blockHash))
      : atMost(head, param.blockNumber);
  }
  switch (param) {
    case 'latest':
    case 'pending':
      return head;
    case 'earliest':
      return 0;
    case 'safe':
    case 'finalized':
      return Math.max(0, head - (chain.options.confirmations - 1));
    default:
      return atMost(head, param);
  }
}

/** Returns the number of the block whose state is requested. @throws PartnerChainError NOT_FOUND. */
export function requireBlockNumber(chain: ChainView, param: BlockParam): number {
  const blockNumber = findBlockNumber(chain, param);
  if (blockNumber !== null) return blockNumber;
  const name = typeof param === 'string' ? param : 'blockHash' in param ? param.blockHash : param.blockNumber;
  throw new PartnerChainError('NOT_FOUND', `block ${name} does not exist`);
}

export function findBlock(chain: ChainView, param: BlockParam): StoredBlock | null {
  const blockNumber = findBlockNumber(chain, param);
  return blockNumber === null ? null : chain.reader.block(blockNumber);
}

function atMost(head: number, number: Hex): number | null {
  const value = BigInt(number);
  return value > BigInt(head) ? null : Number(value);
}

/** Methods about blocks, their counts and logs. An unknown block is a null result, as every client expects. */
export function blockHandlers(chain: PartnerChain) {
  const blocks = new FormattedBlocks(chain);
  const byHash = (blockHash: Hex): StoredBlock | null => findBlock(chain, { blockHash });
  const transactionCount = (block: StoredBlock | null): Hex | null =>
    block === null ? null : quantity(blocks.get(block, false).transactions.length);
  const uncleCount = (block: StoredBlock | null): Hex | null => (block === null ? null : '0x0');

  return {
    eth_blockNumber: () => quantity(chain.headNumber()),
    eth_getBlockByNumber: async (param: BlockParam, isFull: boolean) => {
      const block = findBlock(chain, param);
      if (block === null) return null;
      if (param !== 'pending') return blocks.get(block, isFull);
      return formatPendingBlock(block, await chain.pendingTransactions(PENDING_BOUNDS), isFull);
    },
    eth_getBlockByHash: (hash: Hex, isFull: boolean) => {
      const block = byHash(hash);
      return block === null ? null : blocks.get(block, isFull);
    },
    // Never truncated: clients verify the receipts against the receipts root. The block gas limit bounds the logs.
    eth_getBlockReceipts: async (param: BlockParam) => {
      const block = param === 'pending' ? null : findBlock(chain, param);
      if (block === null) return null;
      const receipts = chain.reader.receiptRecords(block.header.number);
      const formatted: unknown[] = [];
      for (const [index, transaction] of chain.reader.transactions(block.header.number).entries()) {
        const receipt = receipts[index];
        if (receipt === undefined) continue;
        formatted.push(formatReceipt(block, transaction, receipt, chain.reader));
        // A block can have 160,000 logs, and 10,000 take about 50 ms, so other calls run in between.
        if (receipt.logCount > MANY_LOGS) await setImmediate();
      }
      return formatted;
    },
    eth_getBlockTransactionCountByHash: (hash: Hex) => transactionCount(byHash(hash)),
    eth_getBlockTransactionCountByNumber: async (param: BlockParam) =>
      param === 'pending'
        ? quantity(await chain.pendingCount(PENDING_BOUNDS))
        : transactionCount(findBlock(chain, param)),
    eth_getUncleCountByBlockHash: (hash: Hex) => uncleCount(byHash(hash)),
    eth_getUncleCountByBlockNumber: (param: BlockParam) => uncleCount(findBlock(chain, param)),
    eth_getUncleByBlockHashAndIndex: () => null,
    eth_getUncleByBlockNumberAndIndex: () => null,
    eth_getLogs: async (filter: RpcLogFilter) => findLogs(chain, filter),
  };
}

/** The filter of eth_getLogs. */
interface RpcLogFilter {
  readonly fromBlock?: BlockParam;
  readonly toBlock?: BlockParam;
  readonly blockHash?: Hex;
  readonly address?: Hex | readonly Hex[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

/** The blocks to search. @throws PartnerChainError INVALID_PARAMS for an invalid range, or one beyond the head. */
function findRange(chain: PartnerChain, filter: RpcLogFilter): Pick<LogQuery, 'fromBlock' | 'toBlock'> {
  if (filter.blockHash !== undefined) {
    const blockNumber = findBlockNumber(chain, { blockHash: filter.blockHash });
    if (blockNumber === null) throw new PartnerChainError('NOT_FOUND', `block ${filter.blockHash} does not exist`);
    return { fromBlock: blockNumber, toBlock: blockNumber };
  }
  const fromBlock = findBlockNumber(chain, filter.fromBlock ?? 'latest');
  const toBlock = findBlockNumber(chain, filter.toBlock ?? 'latest');
  if (fromBlock === null || toBlock === null) {
    throw new PartnerChainError('INVALID_PARAMS', 'block range extends beyond current head block');
  }
  if (fromBlock > toBlock) {
    throw new PartnerChainError('INVALID_PARAMS', `invalid block range: ${fromBlock} is after ${toBlock}`);
  }
  return { fromBlock, toBlock };
}

function toConditions({ address = [], topics = [] }: RpcLogFilter): Pick<LogQuery, 'addresses' | 'topics'> {
  const toByteList = (value: Hex | readonly Hex[]): Uint8Array[] => [value].flat().map((text) => hexToBytes(text));
  return {
    addresses: toByteList(address),
    // An empty list of alternatives matches any topic, like null.
    topics: topics.map((topic) => (topic === null || topic.length === 0 ? null : toByteList(topic))),
  };
}

/**
 * The chain's index limits the logs of a response, but not those of one block, because an indexer cannot ask for less.
 */
async function findLogs(chain: PartnerChain, filter: RpcLogFilter): Promise<RpcObject[] | LongTask> {
  const query = { ...findRange(chain, filter), ...toConditions(filter) };
  try {
    return (await chain.run('findLogs', query.toBlock, query)).map(formatLogs(chain));
  } catch (error) {
    const isTooMuch = error instanceof PartnerChainError && error.code === 'TOO_MANY_RESULTS';
    if (!isTooMuch || query.toBlock - query.fromBlock >= WHOLE_BLOCKS) throw error;
    return new LongTask(() => searchBlocks(chain, query));
  }
}

/** Searches all logs of blocks, possibly hundreds of thousands. */
async function searchBlocks(chain: PartnerChain, query: LogQuery): Promise<RpcObject[]> {
  const [matches, format] = [makeLogMatcher(query), formatLogs(chain)];
  const found: RpcObject[] = [];
  let read = 0;
  for (const log of chain.reader.logs(query.fromBlock, query.toBlock)) {
    read += 1;
    if (read % MANY_LOGS === 0) await setImmediate();
    if (matches(log)) found.push(format(log));
  }
  return found;
}

function formatLogs(chain: PartnerChain): (log: PlacedLog) => RpcObject {
  let block: StoredBlock | null = null;
  return (log) => {
    if (block?.header.number !== log.blockNumber) block = chain.reader.block(log.blockNumber);
    if (block === null) throw new Error(`Block ${log.blockNumber} has logs but no header`);
    return formatLog(log, block);
  };
}
