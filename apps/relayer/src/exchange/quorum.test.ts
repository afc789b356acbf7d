import { describe, expect, it } from '@jest/globals';
import type { AttestVerdict } from '@causeway/protocol/attest';
import { anAddress } from '@causeway/test-kit';
import fc from 'fast-check';
import type { Address } from 'viem';
import { groupByQuorum, judgeStanding, type AttesterSet, type Verdicts } from './quorum.js';

const members = Array.from({ length: 5 }, () => anAddress());
const VERDICTS: Readonly<Record<string, AttestVerdict>> = {
  s: { kind: 'SIGN' },
  n: { kind: 'NOT_YET', why: '' },
  r: { kind: 'REFUSE', reason: 'WRONG_ID', why: '' },
};

/** One letter per member; a dot means no verdict. */
function toVerdicts(letters: string): Verdicts {
  const verdicts = new Map<Address, AttestVerdict>();
  for (const [index, letter] of letters.split('').entries()) {
    const [member, verdict] = [members[index], VERDICTS[letter]];
    if (member !== undefined && verdict !== undefined) verdicts.set(member, verdict);
  }
  return verdicts;
}

const makeSet = (count: number, threshold: number): AttesterSet => ({
  setNumber: 1n,
  members: members.slice(0, count),
  threshold,
});

describe('judgeStanding', () => {
  it.each([
    ['ss.', 'ACCEPTED'],
    ['s.s', 'ACCEPTED'],
    ['ssr', 'ACCEPTED'],
    ['s..', 'OPEN'],
    ['snn', 'OPEN'],
    ['sr.', 'OPEN'],
    ['.rr', 'REFUSED'],
    ['srr', 'REFUSED'],
    // Not a member.
    ['s..s', 'OPEN'],
    ['.r.rr', 'OPEN'],
  ])('of the verdicts %s with two of three is %s', (letters, standing) => {
    expect(judgeStanding(makeSet(3, 2), toVerdicts(letters))).toBe(standing);
  });

  it.each([
    [2, 1],
    [4, 2],
    [5, 2],
  ])('accepts nothing while %i attesters have a threshold of %i', (count, threshold) => {
    for (const letters of ['sssss', 'rrrrr'])
      expect(judgeStanding(makeSet(count, threshold), toVerdicts(letters))).toBe('OPEN');
  });
});

describe('groupByQuorum', () => {
  const group = (items: readonly string[], set: AttesterSet) => groupByQuorum(items, set, toVerdicts);

  it('groups items that the same members accept', () => {
    expect(group(['sss', 'ss.', 'sss'], makeSet(3, 2))).toEqual([['sss', 'ss.', 'sss']]);
    expect(group(['ss.', '.ss', 's.s', 'sss'], makeSet(3, 2))).toEqual([['ss.', 'sss'], ['.ss'], ['s.s']]);
  });

  it('keeps every item once, and enough members for each group', () => {
    const item = fc.string({ unit: fc.constantFrom('s', 'n', 'r', '.'), minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(item), fc.integer({ min: 3, max: 5 }), (letters, threshold) => {
        const set = makeSet(5, threshold);
        const accepted = letters.filter((each) => judgeStanding(set, toVerdicts(each)) === 'ACCEPTED');
        const groups = group(accepted, set);
        expect(groups.flat().toSorted()).toEqual(accepted.toSorted());
        for (const together of groups) {
          const signers = set.members.filter((_, index) => together.every((each) => each[index] === 's'));
          expect(signers.length).toBeGreaterThanOrEqual(threshold);
        }
      }),
    );
  });
});
