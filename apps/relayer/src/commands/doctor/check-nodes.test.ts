import { describe, expect, it } from '@jest/globals';
import { checkClock, checkHeads, checkMirrors, checkNodes } from './check-nodes.js';
import type { Fact, NodeExpectations } from '@causeway/service/doctor';
import type { Finding } from './finding.js';
import { ABILITIES, type NodeFacts } from './node-facts.js';

const NOW_S = 1_800_000_000n;
const failed: Fact<never> = { ok: false, reason: 'timeout' };
const limited: Fact<never> = { ok: false, reason: 'HTTP status 429', isThrottled: true };
const known = <T>(value: T): Fact<T> => ({ ok: true, value });
const expected: NodeExpectations = {
  side: 'ethereum',
  chainId: 1,
  quorum: 2,
  variable: 'ETHEREUM_RPC_URLS',
  isLocal: false,
};

function aNode(name: string, over: Partial<NodeFacts> = {}, number = 100n): NodeFacts {
  return {
    side: 'ethereum',
    name,
    chainId: known(1),
    head: known({ number, timestampSeconds: NOW_S, latencyMs: 5 }),
    abilities: Object.fromEntries(ABILITIES.map((ability) => [ability, known(null)])) as NodeFacts['abilities'],
    contract: failed,
    wallet: failed,
    ...over,
  };
}

const lines = (findings: readonly Finding[]) => findings.map(({ severity, finding }) => `${severity} ${finding}`);

describe('checkHeads', () => {
  it.each<[string, Fact<number>, RegExp]>([
    ['that announces new heads', known(1), /^ok ethereum ws: announces new heads$/],
    ['of another chain', known(5), /^error ethereum ws is a WebSocket of chain 5, not of 1$/],
    ['that does not answer', failed, /^warning ethereum ws does not announce new heads by WebSocket: timeout$/],
    ['that limits this process', limited, /^error ethereum ws limits the requests of this process$/],
  ])('judges an address %s', (_, chainId, words) => {
    const findings = lines(checkHeads([{ side: 'ethereum', name: 'ws', chainId }], expected));
    expect(findings).toEqual([expect.stringMatching(words)]);
  });
});

describe('checkMirrors', () => {
  it.each<[string, Fact<number>, string, string | null]>([
    ['answers', known(5), 'ok mirror m: 5 ms', null],
    ['does not answer', failed, 'warning mirror m: timeout', 'start it, or correct MIRROR_URL'],
    [
      'limits this process',
      limited,
      'error mirror m limits the requests of this process',
      'give it a key in MIRROR_URL (https://name:key@host), or raise its limit',
    ],
  ])('judges a mirror that %s', (_, latencyMs, line, nextStep) => {
    const findings = checkMirrors([{ name: 'm', latencyMs }]);
    expect(lines(findings)).toEqual([line]);
    expect(findings[0]?.nextStep).toBe(nextStep);
  });
});

describe('checkNodes', () => {
  it.each<[string, Partial<NodeFacts>]>([
    ['everything', { head: limited, chainId: limited }],
    ['the contract', { contract: limited }],
    ['old state', { abilities: { ...aNode('a').abilities, oldState: limited, logs: failed } }],
  ])('reports a node that limits this process only once, whatever it refuses: %s', (_, over) => {
    const [finding, ...others] = checkNodes([aNode('a', over)], { ...expected, quorum: 1, isLocal: true });
    expect(finding).toMatchObject({
      severity: 'error',
      finding: 'ethereum a limits the requests of this process',
      nextStep: 'give it a key in ETHEREUM_RPC_URLS (https://name:key@host), or raise its limit',
    });
    expect(others).toHaveLength(1);
  });

  it('reports what a node lacks: a warning for old state, otherwise an error', () => {
    const abilities = { ...aNode('a').abilities, receipts: failed, oldState: failed };
    const findings = lines(checkNodes([aNode('a', { abilities }), aNode('b'), aNode('c')], expected));
    expect(findings).toContainEqual(
      expect.stringMatching(/^error ethereum a lacks eth_getBlockReceipts, .*\(timeout\)/),
    );
    expect(findings).toContainEqual(expect.stringMatching(/^warning ethereum a lacks the state of old blocks/));
  });
});

describe('checkClock', () => {
  const nowMs = Number(NOW_S) * 1_000;
  const check = (seconds: number, databaseDifferenceMs: number | null = 0) =>
    lines(
      checkClock(
        { ethereum: [aNode('a')], partner: [] },
        {
          nowMs: nowMs + seconds * 1_000,
          databaseDifferenceMs,
          stillAfterSeconds: { ethereum: 120, partner: 60 },
        },
      ),
    );

  it('compares the clock with the chains, each with its own limit', () => {
    expect(check(0)).toEqual(['ok this machine, the chains and the database agree']);
    expect(check(0, null)).toHaveLength(1);
    expect(check(-20)).toEqual(['error the newest block of ethereum a is 20 s in the future']);
    expect(check(121)).toEqual(['warning the newest block of ethereum a is 121 s old']);
  });

  it('compares the clock with the database', () => {
    expect(check(0, 1_500)).toEqual(['warning this machine and the database differ by 1500 ms']);
    expect(check(0, 30_000)).toEqual(['warning this machine and the database differ by 30000 ms']);
    expect(check(0, 30_001)).toEqual(['error this machine and the database differ by 30001 ms']);
  });
});
