import { PartnerChainError, type LogQuery, type PartnerChain, type StoredBlock } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import { Pauses } from '../../../turns/pauses.js';
import type { BlockParam } from '../block-param.js';
import { findBlockNumber, findBlockNumberByHash } from '../find-block.js';
import { formatLog, type RpcLog } from '../format/format-log.js';
import type { Handlers } from './handlers.js';

/** The filter of eth_getLogs. */
interface RpcLogFilter {
  readonly fromBlock?: BlockParam;
  readonly toBlock?: BlockParam;
  readonly blockHash?: Hex;
  readonly address?: Hex | readonly Hex[];
  readonly topics?: readonly (Hex | readonly Hex[] | null)[];
}

/** Logs by filter, through the chain's index. */
export function logHandlers(chain: PartnerChain): Handlers {
  return {
    eth_getLogs: async (filter: RpcLogFilter) => {
      const range = rangeOf(chain, filter);
      if (range === null) return [];
      return await inBlocks(chain, await chain.findLogs({ ...range, ...conditionsOf(filter) }));
    },
  };
}

/** The blocks to look at; null when there are none of them yet. What is asked for beyond the newest block is left out. */
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
    // An empty list of alternatives takes anything, as null does.
    topics: topics.map((topic) => (topic === null || topic.length === 0 ? null : bytesOf(topic))),
  };
}

/** Ten thousand logs are formatted with pauses. */
async function inBlocks(
  chain: PartnerChain,
  logs: Awaited<ReturnType<PartnerChain['findLogs']>>,
): Promise<readonly RpcLog[]> {
  const pauses = new Pauses();
  const formatted: RpcLog[] = [];
  let block: StoredBlock | null = null;
  for (const log of logs) {
    if (block?.header.number !== log.blockNumber) block = chain.reader.block(log.blockNumber);
    if (block === null) throw new Error(`Block ${log.blockNumber} has logs and is not there`);
    formatted.push(formatLog(log, block));
    await pauses.after(1);
  }
  return formatted;
}
