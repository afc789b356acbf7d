import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createPublicClient, custom, pad, type Hex } from 'viem';
import type { VerifiedLog } from '../blocks/verified-block.js';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import {
  compareAnswers,
  findFaults,
  requestLogs,
  type BlockLogs,
  type KnownAnswers,
  type RangeAnswer,
} from './range-logs.js';

const CONTRACT = `0x${'c0'.repeat(20)}` as const;
const TOPIC = pad('0x70');
const word = (value: number): Hex => pad(`0x${value.toString(16)}`);
const log = (logIndex: number, data = word(logIndex)): VerifiedLog => ({
  address: CONTRACT,
  topics: [TOPIC],
  data,
  logIndex,
  transactionHash: word(7),
});
const client = createPublicClient({ transport: custom({ request: async () => null }) });
const answer = (name: string, blocks: Record<number, BlockLogs>): RangeAnswer => ({
  node: { name, client },
  blocks: new Map(Object.entries(blocks).map(([number, block]) => [BigInt(number), block])),
});
const block = (logs: VerifiedLog[], hash = word(1), timestampSeconds: bigint | null = 12n): BlockLogs => ({
  hash,
  timestampSeconds,
  logs,
});

describe('compareAnswers', () => {
  it.each<[string, BlockLogs | undefined]>([
    ['a hidden log', block([log(0)])],
    ['all logs hidden', undefined],
    ['an invented log', block([log(0), log(1), log(2)])],
    ['another amount', block([log(0), log(1, word(99))])],
    ['another block', block([log(0), log(1)], word(2))],
    ['another position', block([log(0), { ...log(1), logIndex: 5 }])],
    ['another time', block([log(0), log(1)], word(1), 13n)],
  ])('disputes only the block with %s', (_, lie) => {
    const honest = { 3: block([log(0)]), 5: block([log(0), log(1)]) };
    const lying = answer('liar', { 3: honest[3], ...(lie === undefined ? {} : { 5: lie }) });
    for (const answers of [
      [answer('a', honest), lying],
      [lying, answer('a', honest)],
      [answer('a', honest), answer('b', honest), lying],
    ]) {
      const { agreed, disputed } = compareAnswers(answers);
      expect([...agreed.keys()]).toEqual([3n]);
      expect(disputed).toEqual([5n]);
    }
  });

  it('states a time only if every answer does', () => {
    const [timed, timeless] = [block([log(0)]), block([log(0)], word(1), null)];
    for (const [stated, time] of [
      [[timed, timed], 12n],
      [[timed, timeless], null],
      [[timeless, timed, timed], null],
    ] as const) {
      const { agreed, disputed } = compareAnswers(stated.map((one, node) => answer(`${node}`, { 5: one })));
      expect([agreed.get(5n)?.timestampSeconds, disputed]).toEqual([time, []]);
    }
    const late = block([log(0)], word(1), 13n);
    const three = [timed, timeless, late].map((one, node) => answer(`${node}`, { 5: one }));
    expect(compareAnswers(three).disputed).toEqual([5n]);
  });

  it('skips the comparison for an answer equal to the first one', () => {
    const honest = answer('a', { 5: block([log(0)]) });
    const same = { ...answer('b', {}), blocks: honest.blocks };
    expect(compareAnswers([honest, same])).toEqual({ agreed: honest.blocks, disputed: [] });
    expect(compareAnswers([honest, same, answer('c', {})])).toMatchObject({ disputed: [5n] });
  });

  it('agrees to a block only if it is equal in every answer', () => {
    const state = fc.option(fc.constantFrom(block([log(0)]), block([log(0), log(1)]), block([log(0)], word(2))));
    const anAnswer = fc.array(state, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(anAnswer, { minLength: 1, maxLength: 4 }), (states) => {
        const answers = states.map((blocks, node) =>
          answer(`${node}`, Object.fromEntries(blocks.flatMap((one, index) => (one === null ? [] : [[index, one]])))),
        );
        const { agreed, disputed } = compareAnswers(answers);
        for (const number of [0n, 1n, 2n, 3n]) {
          const stated = answers.map(({ blocks }) =>
            JSON.stringify(
              blocks.get(number),
              (_, value) => (typeof value === 'bigint' ? `${value}` : value) as unknown,
            ),
          );
          const isOne = stated.every((one) => one === stated[0]);
          expect(agreed.has(number)).toBe(isOne && stated[0] !== undefined);
          expect(disputed.includes(number)).toBe(!isOne);
        }
      }),
    );
  });
});

describe('findFaults', () => {
  it('names only the nodes that hid or invented logs', () => {
    const truth = block([log(0), log(1)]);
    const answers = [
      answer('honest', { 5: truth }),
      answer('hides', { 5: block([log(1)]) }),
      answer('hides all', {}),
      answer('invents', { 5: block([log(0), log(1), log(2)]) }),
      answer('alters', { 5: block([log(0), log(1, word(9))]) }),
      answer('other block', { 5: block([log(0), log(1)], word(2)) }),
      answer('other time', { 5: block([log(0), log(1)], word(1), 13n) }),
      answer('no time', { 5: block([log(0), log(1)], word(1), null) }),
    ];
    expect(findFaults(answers, 5n, truth)).toEqual([
      { node: 'hides', block: 5n, hidden: 1, invented: 0 },
      { node: 'hides all', block: 5n, hidden: 2, invented: 0 },
      { node: 'invents', block: 5n, hidden: 0, invented: 1 },
      { node: 'alters', block: 5n, hidden: 1, invented: 1 },
      { node: 'other block', block: 5n, hidden: 2, invented: 2 },
      { node: 'other time', block: 5n, hidden: 2, invented: 2 },
    ]);
  });
});

describe('requestLogs', () => {
  const sent = {
    address: CONTRACT,
    topics: [TOPIC],
    data: '0x',
    logIndex: '0x1',
    blockHash: word(1),
    blockNumber: '0x5',
    transactionHash: word(7),
  };
  const asking = (logs: unknown, known?: KnownAnswers) =>
    requestLogs(
      createPublicClient({ transport: custom({ request: async () => logs }) }),
      1n,
      9n,
      { contracts: [CONTRACT], topics: [TOPIC] },
      known,
    );

  it('groups the logs by block, in order', async () => {
    const blocks = await asking([sent, { ...sent, logIndex: '0x0' }, { ...sent, blockNumber: '0x6' }]);
    expect([...blocks.keys()]).toEqual([5n, 6n]);
    expect(blocks.get(5n)?.logs.map(({ logIndex }) => logIndex)).toEqual([0, 1]);
  });

  it.each<[string, object, bigint | null]>([
    ['the time', { blockTimestamp: '0xc' }, 12n],
    ['no time', {}, null],
    ['null', { blockTimestamp: null }, null],
    ['0, which no block after the first one has', { blockTimestamp: '0x0' }, null],
  ])('reads the time of a block from logs that state %s', async (_, stated, time) => {
    const blocks = await asking([{ ...sent, ...stated }]);
    expect(blocks.get(5n)?.timestampSeconds).toBe(time);
  });

  it('shares blocks only between equal answers', async () => {
    const known: KnownAnswers = [];
    const first = await asking([sent], known);
    expect(await asking([{ ...sent }], known)).toBe(first);
    const other = await asking([{ ...sent, data: '0x01' }], known);
    expect(other).not.toBe(first);
    expect(other.get(5n)?.logs[0]?.data).toBe('0x01');
  });

  it.each<[string, unknown]>([
    ['outside the range', [{ ...sent, blockNumber: '0xa' }]],
    ['of another contract', [{ ...sent, address: `0x${'c1'.repeat(20)}` }]],
    ['of another event', [{ ...sent, topics: [word(3)] }]],
    ['of two blocks at one height', [sent, { ...sent, blockHash: word(2) }]],
    ['of two times at one height', [sent, { ...sent, blockTimestamp: '0xc' }]],
    ['without a block', [{ ...sent, blockNumber: null }]],
    ['that are no list', 'hello'],
  ])('refuses logs %s', async (_, logs) => {
    await expect(asking(logs)).rejects.toThrow(InconsistentBlockError);
  });
});
