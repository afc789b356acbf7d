import type { ChainProfile, Side } from '@causeway/protocol';
import { CLOCK_TOLERANCE_MS, CLOCK_WARNING_MS } from '@causeway/store';
import {
  error,
  findAgreedHead,
  findUsable,
  judgeBlockTimes,
  judgeNode,
  judgeQuorum,
  ok,
  warning,
  type Fact,
  type NodeExpectations,
} from '@causeway/service/doctor';
import type { Finding } from './finding.js';
import { ABILITIES, type Ability, type HeadFacts, type MirrorFacts, type NodeFacts } from './node-facts.js';

const SIDES = ['ethereum', 'partner'] as const;

const NEED: Readonly<Record<Ability, { readonly what: string; readonly severity: 'warning' | 'error' }>> = {
  receipts: { what: 'eth_getBlockReceipts, with which the relayer reads blocks', severity: 'error' },
  logs: { what: 'eth_getLogs, with which the relayer reads ranges of blocks', severity: 'error' },
  fees: { what: 'eth_feeHistory, with which the relayer sets fees', severity: 'error' },
  pending: { what: 'calls on the block "pending", with which the relayer simulates deliveries', severity: 'error' },
  recentState: { what: 'the state of 64 blocks ago, with which the relayer checks finality', severity: 'error' },
  oldState: {
    what: 'the state of old blocks (an archive node), which catching up and rebuilding require',
    severity: 'warning',
  },
};

/** Judges the nodes of one chain: each alone, then whether enough of them are usable. */
export function checkNodes(nodes: readonly NodeFacts[], expected: NodeExpectations): readonly Finding[] {
  const head = findAgreedHead(nodes, expected);
  const usable = findUsable(nodes, expected);
  return [...nodes.flatMap((node) => checkNode(node, expected, head)), judgeQuorum(usable.length, nodes, expected)];
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
      return warning('nodes', `${node} does not announce new heads by WebSocket: ${chainId.reason}`, nextStep);
    }
    if (chainId.value === meant) return ok('nodes', `${node}: announces new heads`);
    const finding = `${node} is a WebSocket of chain ${chainId.value}, not of ${meant}`;
    return error('nodes', finding, `remove it from ${variable}`);
  });
}

/** Judges the mirrors. While most of them do not answer, payments by smart accounts wait. */
export function checkMirrors(mirrors: readonly MirrorFacts[]): readonly Finding[] {
  return mirrors.map(({ name, latencyMs }) => {
    const mirror = `mirror ${name}`;
    if (latencyMs.ok) return ok('nodes', `${mirror}: ${latencyMs.value} ms`);
    if (latencyMs.isThrottled === true) return throttled(mirror, 'MIRROR_URL');
    return warning('nodes', `${mirror}: ${latencyMs.reason}`, 'start it, or correct MIRROR_URL');
  });
}

/**
 * The only finding about a node that refused a request because of its rate limit. Other failures may follow from that.
 */
function throttled(node: string, variable: string): Finding {
  const nextStep = `give it a key in ${variable} (https://name:key@host), or raise its limit`;
  return error('nodes', `${node} limits the requests of this process`, nextStep);
}

function checkNode(facts: NodeFacts, expected: NodeExpectations, agreed: bigint): readonly Finding[] {
  const { side, name, chainId, head, abilities, contract, wallet } = facts;
  const judged = judgeNode(facts, expected, agreed);
  if (judged.severity === 'error') return [judged];
  const node = `${side} ${name}`;
  const read: readonly Fact<unknown>[] = [head, chainId, contract, wallet, ...Object.values(abilities)];
  if (read.some((each) => !each.ok && each.isThrottled === true)) return [throttled(node, expected.variable)];
  // The other requests of a node that does not answer fail for the same reason.
  if (!head.ok || !chainId.ok) return [judged];
  const lacks = ABILITIES.flatMap((ability) => {
    const answer = abilities[ability];
    if (answer.ok) return [];
    const { what, severity } = NEED[ability];
    const finding = `${node} lacks ${what} (${answer.reason})`;
    return [{ severity, check: 'nodes', finding, nextStep: 'enable it, or use another node' } as const];
  });
  return [...lacks, judged];
}

/** The clock of this machine, and its difference from the database's clock; null when the database does not answer. */
export interface ClockFacts {
  readonly nowMs: number;
  readonly databaseDifferenceMs: number | null;
  readonly stillAfterSeconds: ChainProfile['stillAfterSeconds'];
}

/** Compares this machine's clock with the newest blocks of the usable nodes, and with the database. */
export function checkClock(
  usable: Readonly<Record<Side, readonly NodeFacts[]>>,
  { nowMs, databaseDifferenceMs, stillAfterSeconds }: ClockFacts,
): readonly Finding[] {
  const findings: Finding[] = SIDES.flatMap((side) =>
    judgeBlockTimes(usable[side], nowMs, stillAfterSeconds?.[side] ?? null),
  );
  if (databaseDifferenceMs !== null) {
    const difference = Math.round(databaseDifferenceMs);
    const finding = `this machine and the database differ by ${difference} ms`;
    const set = 'set both clocks (NTP)';
    if (difference > CLOCK_TOLERANCE_MS) findings.push(error('clock', finding, set));
    else if (difference > CLOCK_WARNING_MS) findings.push(warning('clock', finding, set));
  }
  return findings.length > 0 ? findings : [ok('clock', 'this machine, the chains and the database agree')];
}
