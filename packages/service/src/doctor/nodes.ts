import { error, ok, warning, type Fact, type Finding } from './finding.js';

/** The answers of one node, read without failover so that nodes can be compared. */
export interface NodeAnswers {
  /** Name of the chain. */
  readonly side: string;
  /** Host and port, without path and credentials, which may contain an API key. */
  readonly name: string;
  readonly chainId: Fact<number>;
  /** The newest block and the node's response time. */
  readonly head: Fact<{ readonly number: bigint; readonly timestampSeconds: bigint; readonly latencyMs: number }>;
}

/** Expected properties of the nodes of one chain. */
export interface NodeExpectations {
  readonly side: string;
  readonly chainId: number;
  /** Number of nodes that must agree. */
  readonly quorum: number;
  /** The variable that lists the nodes. */
  readonly variable: string;
  /** True in the environment `local`, where a quorum of one is acceptable. */
  readonly isLocal: boolean;
  /** Number of organisations that run the nodes, if their names reveal it. */
  readonly organisations?: number;
}

/** A node that lags by this much is not used. */
const LAG_BLOCKS = 10n;
/** Nodes refuse blocks further than this in the future (geth: 15 s). */
const AHEAD_MS = 15_000;

/** Finds the nodes of the right chain that do not lag. */
export function findUsable<N extends NodeAnswers>(nodes: readonly N[], expected: NodeExpectations): readonly N[] {
  const agreed = findAgreedHead(nodes, expected);
  return ofChain(nodes, expected).filter(({ head }) => head.ok && head.value.number + LAG_BLOCKS >= agreed);
}

/** Finds the highest block that a quorum has reached, which no single node can raise. */
export function findAgreedHead(nodes: readonly NodeAnswers[], expected: NodeExpectations): bigint {
  const heads = ofChain(nodes, expected).flatMap(({ head }) => (head.ok ? [head.value.number] : []));
  const descending = heads.toSorted((a, b) => (a > b ? -1 : 1));
  return descending[Math.min(expected.quorum, descending.length) - 1] ?? 0n;
}

function ofChain<N extends NodeAnswers>(nodes: readonly N[], { chainId }: NodeExpectations): readonly N[] {
  return nodes.filter((node) => node.head.ok && node.chainId.ok && node.chainId.value === chainId);
}

/** Judges one node by its chain id and by its newest block compared with the agreed head. */
export function judgeNode(
  { side, name, chainId, head }: NodeAnswers,
  { chainId: meant, variable }: NodeExpectations,
  agreed: bigint,
): Finding<'nodes'> {
  const node = `${side} ${name}`;
  if (chainId.ok && chainId.value !== meant) {
    const finding = `${node} serves chain ${chainId.value} instead of ${meant}`;
    return error('nodes', finding, `remove it from ${variable}`);
  }
  if (!head.ok) return warning('nodes', `${node}: ${head.reason}`, `start it, or correct ${variable}`);
  if (!chainId.ok) return warning('nodes', `${node}: ${chainId.reason}`, `repair it or replace it in ${variable}`);
  const { number, latencyMs } = head.value;
  if (number + LAG_BLOCKS < agreed) {
    const finding = `${node} is ${agreed - number} blocks behind the others, at ${number}`;
    return warning('nodes', finding, 'wait until it catches up; until then it is not used');
  }
  if (number > agreed + LAG_BLOCKS) {
    const finding = `${node} is ${number - agreed} blocks ahead of the others, at ${number}`;
    return warning('nodes', finding, 'find out whether it lies or the others are stuck');
  }
  return ok('nodes', `${node}: block ${number}, ${latencyMs} ms`);
}

/** Judges whether enough nodes of a chain are usable. */
export function judgeQuorum(
  usable: number,
  nodes: readonly NodeAnswers[],
  { side, quorum, variable, isLocal, organisations }: NodeExpectations,
): Finding<'nodes'> {
  const named = organisations === undefined ? 'nodes' : `nodes of ${organisations} organisations`;
  const count = `${side}: ${usable} of ${nodes.length} ${named} can be used, and ${quorum} must agree`;
  const add = `add nodes of other operators to ${variable}`;
  if (usable < quorum) return error('nodes', count, `repair the nodes above or ${add}`);
  if (quorum === 1 && !isLocal) return warning('nodes', `${count}: a single node is trusted`, add);
  if (usable === quorum && quorum > 1)
    return warning('nodes', `${count}: no node may fail`, `add another node to ${variable}`);
  return ok('nodes', count);
}

/**
 * Compares the clock of this machine with the time of the usable nodes' newest blocks.
 *
 * @param stillAfterSeconds the block age at which the chain counts as halted; null for no limit.
 */
export function judgeBlockTimes(
  nodes: readonly NodeAnswers[],
  nowMs: number,
  stillAfterSeconds: number | null,
): readonly Finding<'clock'>[] {
  return nodes.flatMap(({ side, name, head }) => {
    if (!head.ok) return [];
    const ageMs = nowMs - Number(head.value.timestampSeconds) * 1_000;
    const seconds = Math.round(Math.abs(ageMs) / 1_000);
    const newest = `the newest block of ${side} ${name} is ${seconds} s`;
    if (ageMs < -AHEAD_MS) return [error('clock', `${newest} in the future`, 'set the clock of this machine (NTP)')];
    if (stillAfterSeconds === null || ageMs <= stillAfterSeconds * 1_000) return [];
    return [warning('clock', `${newest} old`, 'the chain or the node is halted: ask another node')];
  });
}
