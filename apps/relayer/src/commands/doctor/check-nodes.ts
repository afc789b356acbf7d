import type { ChainProfile, Side } from '@causeway/protocol';
import { CLOCK_TOLERANCE_MS } from '@causeway/store';
import { error, ok, warning, type Fact } from '@causeway/service/doctor';
import type { Finding } from './finding.js';
import { ABILITIES, type Ability, type HeadFacts, type MirrorFacts, type NodeFacts } from './node-facts.js';

/** The expectations of the nodes of one chain. */
export interface NodeExpectations {
  readonly side: Side;
  readonly chainId: number;
  /** How many nodes must agree. */
  readonly quorum: number;
  /** The variable that lists the nodes. */
  readonly variable: string;
  /** Whether one node may be believed: in the environment local only. */
  readonly isLocal: boolean;
}

/** A node this far behind the others is not used. */
const LAG_BLOCKS = 10n;

const NEED: Readonly<Record<Ability, { readonly what: string; readonly severity: 'warning' | 'error' }>> = {
  receipts: { what: 'eth_getBlockReceipts, by which blocks are read', severity: 'error' },
  logs: { what: 'eth_getLogs, by which ranges are read', severity: 'error' },
  fees: { what: 'eth_feeHistory, by which fees are found', severity: 'error' },
  pending: { what: 'calls on the block "pending", by which deliveries are simulated', severity: 'error' },
  recentState: { what: 'the state of 64 blocks ago, by which finality is checked', severity: 'error' },
  oldState: {
    what: 'the state of old blocks (an archive node), which catching up and rebuilding need',
    severity: 'warning',
  },
};

/** Judges the nodes of one chain: each alone, then whether enough of them can be used. */
export function checkNodes(nodes: readonly NodeFacts[], expected: NodeExpectations): readonly Finding[] {
  const { side, quorum, variable, isLocal } = expected;
  const head = agreedHead(nodes, expected);
  const usable = usableNodes(nodes, expected);
  const findings = nodes.flatMap((node) => checkNode(node, expected, head));
  const count = `${side}: ${usable.length} of ${nodes.length} nodes can be used, and ${quorum} must agree`;
  if (usable.length < quorum)
    findings.push(error('nodes', count, `repair the nodes above, or add others of other operators to ${variable}`));
  else if (quorum === 1 && !isLocal)
    findings.push(warning('nodes', `${count}: one node is believed`, `add others of other operators to ${variable}`));
  else if (usable.length === quorum && quorum > 1)
    findings.push(warning('nodes', `${count}: none may fail`, `add another one to ${variable}`));
  else findings.push(ok('nodes', count));
  return findings;
}

/** Judges the WebSocket addresses of one chain. Without them the relayer finds new blocks later, by polling. */
export function checkHeads(
  announcers: readonly HeadFacts[],
  { chainId: meant, variable }: NodeExpectations,
): readonly Finding[] {
  return announcers.map(({ side, name, chainId }) => {
    const node = `${side} ${name}`;
    if (!chainId.ok && chainId.isThrottled === true) return throttled(node, variable);
    if (!chainId.ok) {
      const nextStep = `correct it in ${variable}, or remove it; until then the relayer polls`;
      return warning('nodes', `${node} announces no new heads by WebSocket: ${chainId.reason}`, nextStep);
    }
    if (chainId.value === meant) return ok('nodes', `${node}: announces new heads`);
    const finding = `${node} is a WebSocket of chain ${chainId.value}, and not of ${meant}`;
    return error('nodes', finding, `remove it from ${variable}`);
  });
}

/** Judges the mirrors. Payments by smart accounts wait while most of them do not answer. */
export function checkMirrors(mirrors: readonly MirrorFacts[]): readonly Finding[] {
  return mirrors.map(({ name, latencyMs }) => {
    const mirror = `mirror ${name}`;
    if (latencyMs.ok) return ok('nodes', `${mirror}: ${latencyMs.value} ms`);
    if (latencyMs.isThrottled === true) return throttled(mirror, 'MIRROR_URL');
    return warning('nodes', `${mirror}: ${latencyMs.reason}`, 'start it, or correct MIRROR_URL');
  });
}

/** The one finding of a node that refused any request because of its rate: what else is missing is a consequence. */
function throttled(node: string, variable: string): Finding {
  const nextStep = `give it a key in ${variable} (https://name:key@host), or raise its limit`;
  return error('nodes', `${node} limits the requests of this process`, nextStep);
}

/** The nodes of the right chain that are not behind. */
export function usableNodes(nodes: readonly NodeFacts[], expected: NodeExpectations): readonly NodeFacts[] {
  const agreed = agreedHead(nodes, expected);
  return ofChain(nodes, expected).filter(({ head }) => head.ok && head.value.number + LAG_BLOCKS >= agreed);
}

/** The highest block that a quorum has reached: no single node can raise it. */
function agreedHead(nodes: readonly NodeFacts[], expected: NodeExpectations): bigint {
  const heads = ofChain(nodes, expected).flatMap(({ head }) => (head.ok ? [head.value.number] : []));
  const descending = heads.toSorted((a, b) => (a > b ? -1 : 1));
  return descending[Math.min(expected.quorum, descending.length) - 1] ?? 0n;
}

function ofChain(nodes: readonly NodeFacts[], { chainId }: NodeExpectations): readonly NodeFacts[] {
  return nodes.filter((node) => node.head.ok && node.chainId.ok && node.chainId.value === chainId);
}

function checkNode(facts: NodeFacts, { chainId: meant, variable }: NodeExpectations, agreed: bigint): Finding[] {
  const { side, name, chainId, head, abilities, contract, wallet } = facts;
  const node = `${side} ${name}`;
  const read: readonly Fact<unknown>[] = [head, chainId, contract, wallet, ...Object.values(abilities)];
  if (chainId.ok && chainId.value !== meant) {
    const finding = `${node} is a node of chain ${chainId.value}, and not of ${meant}`;
    return [error('nodes', finding, `remove it from ${variable}`)];
  }
  if (read.some((each) => !each.ok && each.isThrottled === true)) return [throttled(node, variable)];
  if (!head.ok) return [warning('nodes', `${node}: ${head.reason}`, `start it, or correct ${variable}`)];
  if (!chainId.ok) return [warning('nodes', `${node}: ${chainId.reason}`, `repair it, or replace it in ${variable}`)];
  const { number, latencyMs } = head.value;
  const findings = ABILITIES.flatMap((ability) => {
    const answer = abilities[ability];
    if (answer.ok) return [];
    const { what, severity } = NEED[ability];
    const finding = `${node} lacks ${what} (${answer.reason})`;
    return [{ severity, check: 'nodes', finding, nextStep: 'switch it on, or use another node' } as const];
  });
  if (number + LAG_BLOCKS < agreed) {
    const finding = `${node} is ${agreed - number} blocks behind the others, at ${number}`;
    return [...findings, warning('nodes', finding, 'let it catch up; until then it is not used')];
  }
  if (number > agreed + LAG_BLOCKS) {
    const finding = `${node} is ${number - agreed} blocks ahead of the others, at ${number}`;
    return [...findings, warning('nodes', finding, 'find out whether it lies, or the others are stuck')];
  }
  return [...findings, ok('nodes', `${node}: block ${number}, ${latencyMs} ms`)];
}

/** The clock of this machine, and by how much that of the database differs; null when it does not answer. */
export interface ClockFacts {
  readonly nowMs: number;
  readonly databaseDifferenceMs: number | null;
  readonly stillAfterSeconds: ChainProfile['stillAfterSeconds'];
}

/** Nodes refuse blocks that are this far in the future (geth: 15 s). */
const AHEAD_MS = 15_000;

/** Compares the clock of this machine with the time of the usable nodes' newest blocks, and of the database. */
export function checkClock(
  nodes: readonly NodeFacts[],
  { nowMs, databaseDifferenceMs, stillAfterSeconds }: ClockFacts,
): readonly Finding[] {
  const findings: Finding[] = [];
  for (const { side, name, head } of nodes) {
    if (!head.ok) continue;
    const ageMs = nowMs - Number(head.value.timestampSeconds) * 1_000;
    const seconds = Math.round(Math.abs(ageMs) / 1_000);
    const newest = `the newest block of ${side} ${name} is`;
    if (ageMs < -AHEAD_MS)
      findings.push(error('clock', `${newest} ${seconds} s in the future`, 'set the clock of this machine (NTP)'));
    else if (stillAfterSeconds !== null && ageMs > stillAfterSeconds[side] * 1_000)
      findings.push(
        warning('clock', `${newest} ${seconds} s old`, 'the chain or the node stands still: ask another one'),
      );
  }
  if (databaseDifferenceMs !== null) {
    const difference = Math.round(databaseDifferenceMs);
    const finding = `this machine and the database differ by ${difference} ms`;
    const set = 'set both clocks (NTP)';
    if (difference > CLOCK_TOLERANCE_MS) findings.push(error('clock', finding, set));
    else if (difference > 1_000) findings.push(warning('clock', finding, set));
  }
  return findings.length > 0 ? findings : [ok('clock', 'this machine, the chains and the database agree')];
}
