import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkClock, checkHeads, checkMirrors, checkNodes, usableNodes, type NodeExpectations } from './check-nodes.js';
import type { Fact } from '@causeway/service/doctor';
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
const three = [aNode('a'), aNode('b'), aNode('c')];

describe('checkHeads', () => {
  it.each<[string, Fact<number>, RegExp]>([
    ['that announces new heads', known(1), /^ok ethereum ws: announces new heads$/],
    ['of another chain', known(5), /^error ethereum ws is a WebSocket of chain 5, and not of 1$/],
    ['that does not answer', failed, /^warning ethereum ws announces no new heads by WebSocket: timeout$/],
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
  it('finds three nodes well', () => {
    expect(lines(checkNodes(three, expected))).toEqual([
      'ok ethereum a: block 100, 5 ms',
      'ok ethereum b: block 100, 5 ms',
      'ok ethereum c: block 100, 5 ms',
      'ok ethereum: 3 of 3 nodes can be used, and 2 must agree',
    ]);
  });

  it.each<[string, NodeFacts, RegExp]>([
    ['does not answer', aNode('bad', { head: failed }), /^warning ethereum bad: timeout$/],
    [
      'is of another chain',
      aNode('bad', { chainId: known(5) }),
      /^error ethereum bad is a node of chain 5, and not of 1/,
    ],
    ['lags', aNode('bad', {}, 50n), /^warning ethereum bad is 50 blocks behind the others, at 50/],
  ])('does not use a node that %s', (_, node, words) => {
    const findings = lines(checkNodes([aNode('a'), aNode('b'), node], expected));
    expect(findings).toContainEqual(expect.stringMatching(words));
    expect(findings.at(-1)).toMatch(/^warning ethereum: 2 of 3 nodes can be used, and 2 must agree/);
    const alone = lines(checkNodes([aNode('a'), node, { ...node, name: 'worse' }], { ...expected, quorum: 1 }));
    expect(alone.at(-1)).toMatch(/^warning ethereum: 1 of 3/);
  });

  it.each<[string, Partial<NodeFacts>]>([
    ['everything', { head: limited, chainId: limited }],
    ['the contract', { contract: limited }],
    ['old state', { abilities: { ...aNode('a').abilities, oldState: limited, logs: failed } }],
  ])('names a node that limits this process once, whatever it refuses: %s', (_, over) => {
    const [finding, ...others] = checkNodes([aNode('a', over)], { ...expected, quorum: 1, isLocal: true });
    expect(finding).toMatchObject({
      severity: 'error',
      finding: 'ethereum a limits the requests of this process',
      nextStep: 'give it a key in ETHEREUM_RPC_URLS (https://name:key@host), or raise its limit',
    });
    expect(others).toHaveLength(1);
  });

  it('says when too few can be used', () => {
    const findings = lines(checkNodes([aNode('a'), aNode('b', { head: failed })], expected));
    expect(findings.at(-1)).toBe('error ethereum: 1 of 2 nodes can be used, and 2 must agree');
  });

  it('is not misled by one node that claims to be far ahead', () => {
    const findings = lines(checkNodes([aNode('a'), aNode('b'), aNode('liar', {}, 1_000_000n)], expected));
    expect(findings).toContain('warning ethereum liar is 999900 blocks ahead of the others, at 1000000');
    expect(findings.filter((line) => line.startsWith('ok'))).toHaveLength(3);
  });

  it('names what a node lacks: an error, but a warning for old blocks', () => {
    const abilities = { ...aNode('a').abilities, receipts: failed, oldState: failed };
    const findings = lines(checkNodes([aNode('a', { abilities }), aNode('b'), aNode('c')], expected));
    expect(findings).toContainEqual(
      expect.stringMatching(/^error ethereum a lacks eth_getBlockReceipts, .*\(timeout\)/),
    );
    expect(findings).toContainEqual(expect.stringMatching(/^warning ethereum a lacks the state of old blocks/));
  });

  it('warns of a single node that is believed, except in the environment local', () => {
    const alone = { ...expected, quorum: 1 };
    expect(checkNodes([aNode('a')], alone).at(-1)).toMatchObject({ severity: 'warning' });
    expect(checkNodes([aNode('a')], { ...alone, isLocal: true }).at(-1)).toMatchObject({ severity: 'ok' });
  });

  it('lets no minority of liars make the honest nodes unusable', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 10n ** 9n), fc.nat(2), (claimed, place) => {
        const nodes = [aNode('a'), aNode('b')];
        nodes.splice(place, 0, aNode('liar', {}, claimed));
        expect(usableNodes(nodes, expected).map(({ name }) => name)).toEqual(expect.arrayContaining(['a', 'b']));
      }),
    );
  });
});

describe('checkClock', () => {
  const nowMs = Number(NOW_S) * 1_000;
  const check = (seconds: number, databaseDifferenceMs: number | null = 0) =>
    lines(
      checkClock([aNode('a')], {
        nowMs: nowMs + seconds * 1_000,
        databaseDifferenceMs,
        stillAfterSeconds: { ethereum: 120, partner: 60 },
      }),
    );

  it.each([0, -14, 119])('accepts a block of %i seconds ago', (seconds) => {
    expect(check(seconds)).toEqual(['ok this machine, the chains and the database agree']);
    expect(check(seconds, null)).toHaveLength(1);
  });

  it('finds a clock behind the chain, and a chain that stands still', () => {
    expect(check(-20)).toEqual(['error the newest block of ethereum a is 20 s in the future']);
    expect(check(121)).toEqual(['warning the newest block of ethereum a is 121 s old']);
  });

  it('compares with the database', () => {
    expect(check(0, 1_500)).toEqual(['warning this machine and the database differ by 1500 ms']);
    expect(check(0, 30_000)).toEqual(['warning this machine and the database differ by 30000 ms']);
    expect(check(0, 30_001)).toEqual(['error this machine and the database differ by 30001 ms']);
  });
});
