import { error, ok, warning, type Fact, type Finding } from './finding.js';

/** The answers of one node of a chain. No other node is asked, so that nodes can be compared. */
export interface NodeAnswers {
  /** The name of its chain. */
  readonly side: string;
  /** Its host and port, never its path or credentials, which may be an API key. */
  readonly name: string;
  readonly chainId: Fact<number>;
  /** The newest block, and how long the node took to return it. */
  readonly head: Fact<{ readonly number: bigint; readonly timestampSeconds: bigint; readonly latencyMs: number }>;
}

/** The expectations of the nodes of one chain. */
export interface NodeExpectations {
  readonly side: string;
  readonly chainId: number;
  /** How many nodes must agree. */
  readonly quorum: number;
  /** The variable that lists the nodes. */
  readonly variable: string;
  /** Whether one node may be believed: in the environment local only. */
  readonly isLocal: boolean;
  /** How many organisations run the nodes, where their names say it. */
  readonly organisations?: number;
}

/** A node this far behind the others is not used. */
const LAG_BLOCKS = 10n;
/** Nodes refuse blocks that are this far in the future (geth: 15 s). */
const AHEAD_MS = 15_000;

/** Finds the nodes of the right chain that are not behind. */
export function findUsable<N extends NodeAnswers>(nodes: readonly N[], expected: NodeExpectations): readonly N[] {
  const agreed = findAgreedHead(nodes, expected);
  return ofChain(nodes, expected).filter(({ head }) => head.ok && head.value.number + LAG_BLOCKS >= agreed);
}

/** Finds the highest block that a quorum has reached: no single node can raise it. */
export function findAgreedHead(nodes: readonly NodeAnswers[], expected: NodeExpectations): bigint {
  const heads = ofChain(nodes, expected).flatMap(({ head }) => (head.ok ? [head.value.number] : []));
  const descending = heads.toSorted((a, b) => (a > b ? -1 : 1));
  return descending[Math.min(expected.quorum, descending.length) - 1] ?? 0n;
}

function ofChain<N extends NodeAnswers>(nodes: readonly N[], { chainId }: NodeExpectations): readonly N[] {
  return nodes.filter((node) => node.head.ok && node.chainId.ok && node.chainId.value === chainId);
}

/** Judges one node: its chain, and its newest block beside the agreed one. */
export function judgeNode(
  { side, name, chainId, head }: NodeAnswers,
  { chainId: meant, variable }: NodeExpectations,
  agreed: bigint,
): Finding<'nodes'> {
  const node = `${side} ${name}`;
  if (chainId.ok && chainId.value !== meant) {
    const finding = `${node} is a node of chain ${chainId.value}, and not of ${meant}`;
    return error('nodes', finding, `remove it from ${variable}`);
  }
  if (!head.ok) return warning('nodes', `${node}: ${head.reason}`, `start it, or correct ${variable}`);
  if (!chainId.ok) return warning('nodes', `${node}: ${chainId.reason}`, `repair it, or replace it in ${variable}`);
  const { number, latencyMs } = head.value;
  if (number + LAG_BLOCKS < agreed) {
    const finding = `${node} is ${agreed - number} blocks behind the others, at ${number}`;
    return warning('nodes', finding, 'let it catch up; until then it is not used');
  }
  if (number > agreed + LAG_BLOCKS) {
    const finding = `${node} is ${number - agreed} blocks ahead of the others, at ${number}`;
    return warning('nodes', finding, 'find out whether it lies, or the others are stuck');
  }
  return ok('nodes', `${node}: block ${number}, ${latencyMs} ms`);
}

/** Judges whether enough nodes of a chain can be used. The line follows those of the nodes. */
export function judgeQuorum(
  usable: number,
  nodes: readonly NodeAnswers[],
  { side, quorum, variable, isLocal, organisations }: NodeExpectations,
): Finding<'nodes'> {
  const named = organisations === undefined ? 'nodes' : `nodes of ${organisations} organisations`;
  const count = `${side}: ${usable} of ${nodes.length} ${named} can be used, and ${quorum} must agree`;
  const add = `add others of other operators to ${variable}`;
  if (usable < quorum) return error('nodes', count, `repair the nodes above, or ${add}`);
  if (quorum === 1 && !isLocal) return warning('nodes', `${count}: one node is believed`, add);
  if (usable === quorum && quorum > 1)
    return warning('nodes', `${count}: none may fail`, `add another one to ${variable}`);
  return ok('nodes', count);
}

/**
 * Compares the clock of this machine with the time of the usable nodes' newest blocks.
 *
 * @param stillAfterSeconds the age of a block at which the chain stands still; null where it always may.
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
    return [warning('clock', `${newest} old`, 'the chain or the node stands still: ask another one')];
  });
}
