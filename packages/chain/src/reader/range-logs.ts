import { isDeepStrictEqual } from 'node:util';
import { numberToHex, type Hex, type PublicClient } from 'viem';
import { z } from 'zod';
import { parseAnswer, rpcRangeLog } from '../blocks/rpc-shapes.js';
import type { VerifiedLog } from '../blocks/verified-block.js';
import { getMatcher, type LogMatcher, type Watch } from '../blocks/watch.js';
import type { ChainNode } from '../nodes/chain-connection.js';
import { askNode, InconsistentBlockError } from '../rpc/chain-error.js';

/** The logs of one block, as a node reports them. */
export interface BlockLogs {
  readonly hash: Hex;
  /** Null if the node omits it: the header must be read. */
  readonly timestampSeconds: bigint | null;
  readonly logs: readonly VerifiedLog[];
}

/** One node's answer for a range: the blocks with logs. */
export interface RangeAnswer {
  readonly node: ChainNode;
  readonly blocks: ReadonlyMap<bigint, BlockLogs>;
}

/** A node hid or invented logs, or has a block of another branch. Counts are of one block. */
export interface NodeFault {
  readonly node: string;
  readonly block: bigint;
  readonly hidden: number;
  readonly invented: number;
}

/** Raw answers for one range, with their blocks. An equal answer of another node is not validated again. */
export type KnownAnswers = { readonly answer: unknown; readonly blocks: ReadonlyMap<bigint, BlockLogs> }[];

/**
 * Requests the logs of a range from one node.
 *
 * @param known answers for this range so far. A new answer is added.
 * @throws InconsistentBlockError if a log does not belong to the range or to the watched contracts;
 * NodeUnavailableError, NodeRefusedError, AnswerTooLargeError.
 */
export async function requestLogs(
  client: PublicClient,
  from: bigint,
  to: bigint,
  watch: Watch,
  known: KnownAnswers = [],
): Promise<ReadonlyMap<bigint, BlockLogs>> {
  const matcher = getMatcher(watch);
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) };
  const answer = await askNode(() =>
    Promise.all(
      matcher.filters().map((filter) => client.request({ method: 'eth_getLogs', params: [{ ...filter, ...range }] })),
    ),
  );
  const equal = known.find((one) => isDeepStrictEqual(one.answer, answer));
  if (equal !== undefined) return equal.blocks;
  const blocks = groupByBlock(answer, from, to, matcher);
  known.push({ answer, blocks });
  return blocks;
}

/** Validates an answer and groups its logs by block. */
function groupByBlock(answers: readonly unknown[], from: bigint, to: bigint, matcher: LogMatcher) {
  const blocks = new Map<bigint, BlockLogs & { readonly logs: VerifiedLog[] }>();
  for (const log of answers.flatMap((answer) => parseAnswer(z.array(rpcRangeLog), answer, from))) {
    const { address, data, blockHash, transactionHash } = log;
    const number = BigInt(log.blockNumber);
    if (number < from || number > to || !matcher.matches(log))
      throw new InconsistentBlockError(number, 'the node sent a log that was not asked for');
    const timestampSeconds = parseTimestamp(log.blockTimestamp);
    const block = blocks.get(number) ?? { hash: blockHash, timestampSeconds, logs: [] };
    if (block.hash !== blockHash || block.timestampSeconds !== timestampSeconds)
      throw new InconsistentBlockError(number, 'its logs name two blocks of this height');
    block.logs.push({ address, topics: log.topics, data, logIndex: Number(log.logIndex), transactionHash });
    blocks.set(number, block);
  }
  for (const { logs } of blocks.values()) logs.sort((a, b) => a.logIndex - b.logIndex);
  return blocks;
}

/** Returns null for a missing time, which older nodes omit, and for 0, which no block after block 0 has. */
function parseTimestamp(stated: Hex | null | undefined): bigint | null {
  return stated === undefined || stated === null || BigInt(stated) === 0n ? null : BigInt(stated);
}

/** The outcome of a comparison: blocks equal in all answers, and blocks about which the answers differ. */
interface Comparison {
  readonly agreed: ReadonlyMap<bigint, BlockLogs>;
  /** Ascending. */
  readonly disputed: readonly bigint[];
}

/**
 * Compares the answers of several nodes. Pure. A block that only some answers list is disputed too. The time of a block
 * is known only if all answers state it.
 */
export function compareAnswers(answers: readonly RangeAnswer[]): Comparison {
  const [first, ...rest] = answers;
  if (first === undefined) return { agreed: new Map(), disputed: [] };
  // Equal answers share one map of blocks.
  const others = rest.filter(({ blocks }) => blocks !== first.blocks);
  if (others.length === 0) return { agreed: first.blocks, disputed: [] };
  const agreed = new Map<bigint, BlockLogs>();
  const disputed = new Set<bigint>();
  for (const [number, block] of first.blocks) {
    const stated = [block, ...others.map(({ blocks }) => blocks.get(number))];
    const text = toText(block);
    const times = new Set(stated.map((one) => one?.timestampSeconds ?? null));
    const isTimeUnknown = times.has(null);
    if (stated.some((one) => toText(one) !== text) || times.size > (isTimeUnknown ? 2 : 1)) disputed.add(number);
    else agreed.set(number, isTimeUnknown ? { ...block, timestampSeconds: null } : block);
  }
  for (const { blocks } of others) {
    for (const number of blocks.keys()) if (!agreed.has(number)) disputed.add(number);
  }
  return { agreed, disputed: [...disputed].toSorted((a, b) => (a < b ? -1 : 1)) };
}

/** Finds the nodes whose answers differ from a proven block. Pure. */
export function findFaults(answers: readonly RangeAnswer[], number: bigint, truth: BlockLogs): NodeFault[] {
  const real = new Set(truth.logs.map(toLogText));
  return answers.flatMap(({ node, blocks }) => {
    const stated = blocks.get(number);
    const isOfBlock =
      stated?.hash === truth.hash && (stated.timestampSeconds ?? truth.timestampSeconds) === truth.timestampSeconds;
    const logs = isOfBlock ? stated.logs.map(toLogText) : [];
    const hidden = [...real].filter((log) => !logs.includes(log)).length;
    const invented = (stated?.logs.length ?? 0) - logs.filter((log) => real.has(log)).length;
    return hidden + invented === 0 ? [] : [{ node: node.name, block: number, hidden, invented }];
  });
}

function toText(block: BlockLogs | undefined): string {
  return block === undefined ? '' : `${block.hash} ${block.logs.map(toLogText).join(' ')}`;
}

function toLogText({ address, topics, data, logIndex, transactionHash }: VerifiedLog): string {
  return `${logIndex} ${transactionHash} ${address} ${topics.join(',')} ${data}`;
}
