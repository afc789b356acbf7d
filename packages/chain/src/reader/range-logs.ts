import { numberToHex, type Hex, type PublicClient } from 'viem';
import { z } from 'zod';
import { parseAnswer, rpcRangeLog } from '../blocks/rpc-shapes.js';
import type { VerifiedLog, Watch } from '../blocks/verified-block.js';
import type { ChainNode } from '../nodes/chain-connection.js';
import { askNode, InconsistentBlockError } from '../rpc/chain-error.js';

/** The logs of one block, as nodes state them. */
export interface BlockLogs {
  readonly hash: Hex;
  readonly logs: readonly VerifiedLog[];
}

/** What one node answered about a range: its blocks with logs. */
export interface RangeAnswer {
  readonly node: ChainNode;
  readonly blocks: ReadonlyMap<bigint, BlockLogs>;
}

/** A node hid or invented logs, or has other blocks than the others. Counts are of one block. */
export interface NodeFault {
  readonly node: string;
  readonly block: bigint;
  readonly hidden: number;
  readonly invented: number;
}

/**
 * Asks one node for the logs of a range.
 *
 * @throws InconsistentBlockError when a log does not belong to the range or to the watched contracts;
 * NodeUnavailableError, NodeRefusedError, AnswerTooLargeError.
 */
export async function requestLogs(
  client: PublicClient,
  from: bigint,
  to: bigint,
  { contracts, topics }: Watch,
): Promise<ReadonlyMap<bigint, BlockLogs>> {
  const filter = {
    address: [...contracts],
    fromBlock: numberToHex(from),
    toBlock: numberToHex(to),
    ...(topics === undefined ? {} : { topics: [[...topics]] }),
  };
  const answer = await askNode(() => client.request({ method: 'eth_getLogs', params: [filter] }));
  const watched = new Set(contracts.map((contract) => contract.toLowerCase()));
  const blocks = new Map<bigint, { hash: Hex; logs: VerifiedLog[] }>();
  for (const log of parseAnswer(z.array(rpcRangeLog), answer, from)) {
    const { address, data, blockHash, transactionHash } = log;
    const number = BigInt(log.blockNumber);
    const [topic] = log.topics;
    const isAsked = watched.has(address) && (topics === undefined || (topic !== undefined && topics.includes(topic)));
    if (number < from || number > to || !isAsked)
      throw new InconsistentBlockError(number, 'the node sent a log that was not asked for');
    const block = blocks.get(number) ?? { hash: blockHash, logs: [] };
    if (block.hash !== blockHash) throw new InconsistentBlockError(number, 'its logs name two blocks of this height');
    block.logs.push({ address, topics: log.topics, data, logIndex: Number(log.logIndex), transactionHash });
    blocks.set(number, block);
  }
  for (const { logs } of blocks.values()) logs.sort((a, b) => a.logIndex - b.logIndex);
  return blocks;
}

/** The outcome of a comparison: blocks that all answers state equally, and those about which they differ. */
interface Comparison {
  readonly agreed: ReadonlyMap<bigint, BlockLogs>;
  /** Ascending. */
  readonly disputed: readonly bigint[];
}

/** Compares the answers of several nodes. Pure. A block that only one of them lists is disputed as well. */
export function compareAnswers(answers: readonly RangeAnswer[]): Comparison {
  const [first, ...others] = answers;
  const agreed = new Map<bigint, BlockLogs>();
  const disputed = new Set<bigint>();
  for (const [number, block] of first?.blocks ?? []) {
    const text = textOf(block);
    if (others.every(({ blocks }) => textOf(blocks.get(number)) === text)) agreed.set(number, block);
    else disputed.add(number);
  }
  for (const { blocks } of others) {
    for (const number of blocks.keys()) if (!agreed.has(number)) disputed.add(number);
  }
  return { agreed, disputed: [...disputed].toSorted((a, b) => (a < b ? -1 : 1)) };
}

/** Finds the nodes whose answer differs from the truth about one block. Pure. */
export function faultsOf(answers: readonly RangeAnswer[], number: bigint, truth: BlockLogs): NodeFault[] {
  const real = new Set(truth.logs.map(textOfLog));
  return answers.flatMap(({ node, blocks }) => {
    const stated = blocks.get(number);
    const logs = (stated?.hash ?? truth.hash) === truth.hash ? (stated?.logs ?? []).map(textOfLog) : [];
    const hidden = [...real].filter((log) => !logs.includes(log)).length;
    const invented = (stated?.logs.length ?? 0) - logs.filter((log) => real.has(log)).length;
    return hidden + invented === 0 ? [] : [{ node: node.name, block: number, hidden, invented }];
  });
}

function textOf(block: BlockLogs | undefined): string {
  return block === undefined ? '' : `${block.hash} ${block.logs.map(textOfLog).join(' ')}`;
}

function textOfLog({ address, topics, data, logIndex, transactionHash }: VerifiedLog): string {
  return `${logIndex} ${transactionHash} ${address} ${topics.join(',')} ${data}`;
}
