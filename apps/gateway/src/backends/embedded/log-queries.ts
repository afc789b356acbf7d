import {
  PartnerChainError,
  type LogQuery,
  type PartnerChain,
  type PlacedLog,
  type StoredBlock,
} from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import { findBlockNumber, findBlockNumberByHash, type BlockParam } from './block-lookup.js';
import { formatLog, type RpcLog } from './format-receipts.js';

/** The filter of eth_getLogs. */
interface RpcLogFilter {
  readonly fromBlock?: BlockParam;
  readonly toBlock?: BlockParam;
  readonly blockHash?: Hex;
  readonly address?: Hex | readonly Hex[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

/** Logs by filter, through the chain's index, which limits the logs of an answer (`MAX_LOGS`). */
export function logHandlers(chain: PartnerChain) {
  return {
    eth_getLogs: async (filter: RpcLogFilter) => {
      const range = rangeOf(chain, filter);
      if (range === null) return [];
      return formatLogs(chain, await chain.findLogs({ ...range, ...conditionsOf(filter) }));
    },
  };
}

/** The blocks to search, without those beyond the newest block; null when none of them exists yet. */
function rangeOf(chain: PartnerChain, filter: RpcLogFilter): Pick<LogQuery, 'fromBlock' | 'toBlock'> | null {
  if (filter.blockHash !== undefined) {
    const blockNumber = findBlockNumberByHash(chain, filter.blockHash);
    if (blockNumber === null) throw new PartnerChainError('NOT_FOUND', `block ${filter.blockHash} is not there`);
    return { fromBlock: blockNumber, toBlock: blockNumber };
  }
  const head = chain.headNumber();
  const fromBlock = findBlockNumber(chain, filter.fromBlock ?? 'latest') ?? head + 1;
  const toBlock = findBlockNumber(chain, filter.toBlock ?? 'latest') ?? head;
  return fromBlock > toBlock ? null : { fromBlock, toBlock };
}

function conditionsOf({ address = [], topics = [] }: RpcLogFilter): Pick<LogQuery, 'addresses' | 'topics'> {
  const bytesOf = (value: Hex | readonly Hex[]): Uint8Array[] => [value].flat().map((text) => hexToBytes(text));
  return {
    addresses: bytesOf(address),
    // An empty list of alternatives matches any topic, like null.
    topics: topics.map((topic) => (topic === null || topic.length === 0 ? null : bytesOf(topic))),
  };
}

function formatLogs(chain: PartnerChain, logs: readonly PlacedLog[]): RpcLog[] {
  let block: StoredBlock | null = null;
  return logs.map((log) => {
    if (block?.header.number !== log.blockNumber) block = chain.reader.block(log.blockNumber);
    if (block === null) throw new Error(`Block ${log.blockNumber} has logs but no header`);
    return formatLog(log, block);
  });
}
