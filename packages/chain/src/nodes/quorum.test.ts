import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { PublicClient } from 'viem';
import { QuorumError } from '../rpc/chain-error.js';
import type { ChainNode } from './chain-connection.js';
import { askNodes, decide, toAnswerKey, majorityKey, quorumHead, type Vote } from './quorum.js';

const node = (name: string) => ({ name, client: { name } as unknown as PublicClient }) as ChainNode;
const answer = (key: string, name = 'a'): Vote<string> => ({ node: node(name), kind: 'answer', key, answer: key });
const failure: Vote<string> = { node: node('f'), kind: 'failure', error: new Error('away') };

describe('decide', () => {
  it.each<[string, Vote<string>[], number, number, object]>([
    ['two of three agree', [answer('x'), answer('x')], 2, 1, { kind: 'agreed', key: 'x' }],
    ['one of three has answered', [answer('x')], 2, 2, { kind: 'open' }],
    ['two differ and the third may decide', [answer('x'), answer('y')], 2, 1, { kind: 'open' }],
    ['all three differ', [answer('x'), answer('y'), answer('z')], 2, 0, { kind: 'impossible' }],
    ['two fail', [failure, failure], 2, 1, { kind: 'impossible' }],
    ['failures are not equal answers', [failure, failure, failure], 2, 0, { kind: 'impossible' }],
    ['too few nodes are asked', [], 2, 1, { kind: 'impossible' }],
    ['one node is enough when the quorum says so', [answer('x')], 1, 1, { kind: 'agreed', key: 'x' }],
  ])('%s', (_, votes, quorum, pending, decision) => {
    expect(decide(votes, quorum, pending)).toEqual(decision);
  });

  const votes = fc.array(
    fc.option(fc.constantFrom('x', 'y', 'z')).map((key) => (key === null ? failure : answer(key))),
    { maxLength: 7 },
  );

  it('never agrees on an answer of fewer nodes than the quorum', () => {
    fc.assert(
      fc.property(votes, fc.integer({ min: 1, max: 7 }), fc.nat(3), (given, quorum, pending) => {
        const decision = decide(given, quorum, pending);
        if (decision.kind !== 'agreed') return;
        const supporters = given.filter((vote) => vote.kind === 'answer' && vote.key === decision.key);
        expect(supporters.length).toBeGreaterThanOrEqual(quorum);
      }),
    );
  });

  it('does not depend on the order of the answers when a majority must agree', () => {
    fc.assert(
      fc.property(
        votes.chain((given) => fc.tuple(fc.constant(given), fc.shuffledSubarray(given, { minLength: given.length }))),
        ([given, shuffled]) => {
          const quorum = Math.floor(given.length / 2) + 1;
          expect(decide(shuffled, quorum, 0)).toEqual(decide(given, quorum, 0));
        },
      ),
    );
  });

  it('lets no single liar of three decide, whatever it answers and when', () => {
    const orders = fc.shuffledSubarray(['liar', 'honest', 'honest'], { minLength: 3 });
    fc.assert(
      fc.property(orders, fc.constantFrom('truth', 'lie'), fc.integer({ min: 1, max: 3 }), (order, lie, answered) => {
        const given = order.slice(0, answered).map((who) => answer(who === 'liar' ? lie : 'truth'));
        const decision = decide(given, 2, 3 - answered);
        if (decision.kind === 'agreed') expect(decision.key).toBe('truth');
      }),
    );
  });
});

describe('askNodes', () => {
  const never = new Promise<never>(() => undefined);
  const ask = <T>(answers: Record<string, () => Promise<T>>, quorum = 2) =>
    askNodes({
      chain: 'ethereum',
      nodes: Object.keys(answers).map(node),
      notAsked: [{ node: 'd', answer: 'it failed: timeout' }],
      quorum,
      read: async (client) => (answers[(client as unknown as { name: string }).name] as () => Promise<T>)(),
    });

  it('returns without a node that hangs', async () => {
    expect(await ask({ a: () => never, b: async () => 7n, c: async () => 7n })).toBe(7n);
  });

  it('names what each node answered, and why others were not asked, but no URL', async () => {
    const failed = ask({
      a: async () => 7n,
      b: async () => 8n,
      c: async () => {
        throw Object.assign(new Error('https://node.example/secret-key'), { shortMessage: 'HTTP request failed.' });
      },
    });
    await expect(failed).rejects.toThrow(QuorumError);
    await expect(failed).rejects.toThrow(
      '2 nodes of ethereum must agree, and do not: ' +
        'a: "7n"; b: "8n"; c: failed (HTTP request failed.); d: it failed: timeout',
    );
  });

  it('fails without waiting when the pending nodes cannot decide', async () => {
    await expect(ask({ a: () => never })).rejects.toThrow(QuorumError);
    await expect(ask({ a: async () => 1, b: async () => 2, c: () => never }, 3)).rejects.toThrow(QuorumError);
  });

  it('treats an answer that cannot be read as a failure of that node', async () => {
    const parse = async () => JSON.parse('{') as number;
    expect(await ask<number>({ a: parse, b: async () => 1, c: async () => 1 })).toBe(1);
  });
});

describe('quorumHead', () => {
  it.each<[string, bigint[], number, bigint | null]>([
    ['a node that invents a high head moves nothing', [9_999n, 100n, 99n], 2, 100n],
    ['a node that lags holds up nothing', [100n, 50n, 100n], 2, 100n],
    ['too few are known', [100n], 2, null],
    ['one node decides alone', [100n], 1, 100n],
  ])('%s', (_, heads, quorum, head) => {
    expect(quorumHead(heads, quorum)).toBe(head);
  });

  it('is a block that the quorum has reached, in any order', () => {
    const heads = fc.array(fc.bigInt(0n, 50n), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(heads, fc.integer({ min: 1, max: 7 }), (given, quorum) => {
        const head = quorumHead(given, quorum);
        expect(head === null).toBe(given.length < quorum);
        if (head === null) return;
        expect(given.filter((each) => each >= head).length).toBeGreaterThanOrEqual(quorum);
        expect(given.filter((each) => each > head).length).toBeLessThan(quorum);
        expect(quorumHead(given.toReversed(), quorum)).toBe(head);
      }),
    );
  });
});

describe('majorityKey', () => {
  it('counts the nodes that were not asked', () => {
    expect(majorityKey([answer('x'), answer('x'), answer('y')], 3)).toBe('x');
    expect(majorityKey([answer('x'), answer('x'), answer('y'), answer('y')], 4)).toBeNull();
    expect(majorityKey([answer('x')], 2)).toBeNull();
  });
});

describe('toAnswerKey', () => {
  it('is the same whatever the order of the fields, and tells different amounts apart', () => {
    expect(toAnswerKey({ b: [1n, 2n], a: { d: 1, c: null } })).toBe(toAnswerKey({ a: { c: null, d: 1 }, b: [1n, 2n] }));
    expect(toAnswerKey({ ETH: 10n ** 18n })).not.toBe(toAnswerKey({ ETH: 10n ** 18n + 1n }));
    expect(toAnswerKey(undefined)).toBe(toAnswerKey(undefined));
  });
});
