import { describe, expect, it } from '@jest/globals';
import type { MirrorAnswer } from '@causeway/chain';
import { aHash, anAddress } from '@causeway/test-kit';
import fc from 'fast-check';
import { explainDifference } from './explain-difference.js';

const wallet = anAddress('relayer');
const missing: MirrorAnswer = { kind: 'missing', reason: 'it lags' };
/** A call tree that pays these amounts to the wallet. */
const paying = (...amounts: bigint[]): MirrorAnswer => ({
  kind: 'found',
  transfers: amounts.map((amount, index) => ({
    callIndex: index + 1,
    payer: anAddress(),
    wallet,
    amount,
    memo: null,
  })),
});
const explained = (difference: bigint, ...answers: MirrorAnswer[]) => {
  const { transfers, ...others } = explainDifference(
    difference,
    answers.map((answer) => ({ txHash: aHash(), answer })),
  );
  return { paid: transfers.map(({ amount }) => amount), ...others };
};

describe('explainDifference', () => {
  it.each<[string, bigint, MirrorAnswer[], object]>([
    ['payments that add up to it', 5n, [paying(2n), paying(3n)], { paid: [2n, 3n], rest: 0n, doubt: null }],
    ['them, even if another call tree is missing', 5n, [paying(5n), missing], { paid: [5n], rest: 0n, doubt: null }],
    ['nothing while a call tree is missing', 5n, [missing], { paid: [], rest: 5n, doubt: 'it lags' }],
    [
      'a part while another call tree is missing',
      5n,
      [paying(2n), missing],
      { paid: [2n], rest: 3n, doubt: 'it lags' },
    ],
    ['a part, when the rest came in another way', 5n, [paying(2n), paying()], { paid: [2n], rest: 3n, doubt: null }],
    ['nothing in a block without contract calls', 5n, [], { paid: [], rest: 5n, doubt: null }],
    [
      'nothing by payments above the difference',
      5n,
      [paying(2n, 4n)],
      { paid: [], rest: 5n, doubt: expect.stringContaining('payments of 6') },
    ],
  ])('finds %s', (_, difference, answers, expected) => {
    expect(explained(difference, ...answers)).toEqual(expected);
  });

  it('never explains more than the wallet received', () => {
    const amounts = fc.array(fc.bigInt({ min: 1n, max: 100n }), { maxLength: 5 });
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 500n }), fc.array(amounts), (difference, trees) => {
        const { paid, rest } = explained(difference, ...trees.map((tree) => paying(...tree)));
        expect(paid.reduce((sum, amount) => sum + amount, 0n) + rest).toBe(difference);
        expect(rest).toBeGreaterThanOrEqual(0n);
      }),
    );
  });
});
