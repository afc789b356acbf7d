import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { concatHex, numberToHex, pad, type Hex } from 'viem';
import { checkNumbers, numberAfter } from './numbering.js';

const events = { contract: `0x${'c0'.repeat(20)}`, topic: pad('0x70'), counter: '0x01' } as const;
const log = (number: bigint, topic: Hex = events.topic) => ({
  address: events.contract,
  topics: [topic],
  data: concatHex([pad('0xab'), numberToHex(number, { size: 32 })]),
  logIndex: 0,
  transactionHash: pad('0x07'),
});
const at = (number: bigint, ...numbers: bigint[]) => ({ number, logs: numbers.map((one) => log(one)) });
const check = (next: bigint, blocks: ReturnType<typeof at>[], counter: bigint | null) =>
  checkNumbers(events, { from: 10n, to: 99n, next, blocks, counter });

describe('checkNumbers', () => {
  it.each<[string, ReturnType<typeof check>, object]>([
    ['all there', check(5n, [at(20n, 5n, 6n), at(30n, 7n)], 8n), { kind: 'complete', next: 8n }],
    ['none there, none missing', check(5n, [], 5n), { kind: 'complete', next: 5n }],
    ['no old state, no gap', check(5n, [at(20n, 5n)], null), { kind: 'complete', next: 6n }],
    ['the first missing', check(5n, [at(20n, 6n)], 7n), { kind: 'missing', from: 10n, to: 20n }],
    ['one missing between', check(5n, [at(20n, 5n), at(30n, 7n)], 8n), { kind: 'missing', from: 20n, to: 30n }],
    [
      'one missing between, without old state',
      check(5n, [at(20n, 5n), at(30n, 7n)], null),
      { kind: 'missing', from: 20n },
    ],
    ['the last missing', check(5n, [at(20n, 5n)], 7n), { kind: 'missing', from: 20n, to: 99n }],
    ['all missing', check(5n, [], 6n), { kind: 'missing', from: 10n, to: 99n }],
    ['a repeated number', check(5n, [at(20n, 4n)], 6n), { kind: 'contradiction' }],
    ['more than the contract counted', check(5n, [at(20n, 5n, 6n)], 6n), { kind: 'contradiction' }],
  ])('%s', (_, verdict, expected) => {
    expect(verdict).toMatchObject(expected);
  });

  it('finds every hidden event', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), (isHidden) => {
        const shown = isHidden.flatMap((hidden, index) => (hidden ? [] : [at(10n + BigInt(index), BigInt(index))]));
        const verdict = check(0n, shown, BigInt(isHidden.length));
        const first = isHidden.indexOf(true);
        if (first === -1) return expect(verdict).toEqual({ kind: 'complete', next: BigInt(isHidden.length) });
        if (verdict.kind !== 'missing') throw new Error(verdict.kind);
        const block = 10n + BigInt(first);
        expect(verdict.from <= block && block <= verdict.to).toBe(true);
      }),
    );
  });
});

describe('numberAfter', () => {
  it('is the one after the last numbered event', () => {
    expect(numberAfter(events, [at(1n, 4n, 5n), at(2n), { number: 3n, logs: [log(9n, pad('0x71'))] }])).toBe(6n);
    expect(numberAfter(events, [at(2n)])).toBeNull();
  });
});
