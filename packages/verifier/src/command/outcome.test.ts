import { describe, expect, it } from '@jest/globals';
import type { Finding } from '../ledger/finding.js';
import type { Evidence } from '../state/check-state.js';
import { decide } from './outcome.js';
import { describeOperation } from './report.js';
import type { NodeRecord } from './setup.js';

const node = (side: NodeRecord['side'], name: string): NodeRecord => ({ side, node: name, dissent: {} });
const many = { nodes: [node('ethereum', 'a'), node('ethereum', 'b'), node('partner', 'c'), node('partner', 'd')] };
const one = { nodes: [node('ethereum', 'a'), node('partner', 'c')] };
const known = (by: Evidence['by'], isProvable = true): Evidence => ({
  what: 'the numbers',
  side: 'partner',
  by,
  isProvable,
});
const finding: Finding = {
  code: 'NO_ORIGIN',
  side: 'partner',
  id: null,
  asset: null,
  transactionHash: null,
  blockNumber: null,
  why: 'It began nowhere.',
};
const NOTHING = { findings: [], open: [], evidence: [] };

describe('the result of a run', () => {
  it.each([
    ['right by proofs', { ...NOTHING, evidence: [known('PROOF')] }, false, 'right', 0],
    ['right where nothing can be proven', { ...NOTHING, evidence: [known('QUORUM', false)] }, false, 'right', 0],
    ['undecided by the word of the nodes', { ...NOTHING, evidence: [known('QUORUM')] }, false, 'undecided', 0],
    ['right by the word of trusted nodes', { ...NOTHING, evidence: [known('QUORUM')] }, true, 'right', 1],
    ['undecided where nodes lag, although they are trusted', { ...NOTHING, open: ['they lag'] }, true, 'undecided', 0],
    [
      'wrong after a finding, whatever is open',
      { ...NOTHING, findings: [finding], open: ['they lag'] },
      true,
      'wrong',
      0,
    ],
  ] as const)('is %s', (_, found, trustsNodes, result, trusted) => {
    const outcome = decide(found, trustsNodes, many);
    expect(outcome).toMatchObject({ result });
    expect(outcome.trusted).toHaveLength(trusted);
    expect(outcome.why.length > 0).toBe(result !== 'right');
  });

  it('names the operation and the transaction of a finding', () => {
    const [id, transactionHash] = [`0x${'1'.repeat(64)}`, `0x${'2'.repeat(64)}`] as const;
    const found = { ...NOTHING, findings: [finding, { ...finding, asset: 'XCN', id, transactionHash }] };
    expect(decide(found, false, many).why).toEqual([
      'NO_ORIGIN: It began nowhere.',
      `NO_ORIGIN (XCN, ${id}, transaction ${transactionHash} of the partner chain): It began nowhere.`,
    ]);
  });

  it('says whose word everything is with one node of a chain', () => {
    expect(decide(NOTHING, false, one).trusted).toEqual([
      'All of Ethereum is the word of a.',
      'All of the partner chain is the word of c.',
    ]);
  });

  it('ends with it, whatever nodes answer', () => {
    const outcome = decide({ ...NOTHING, open: ['a: reverted\n\u001b[2J\nRight.'] }, false, many);
    const report = { ...outcome, statement: null, file: null, open: [], nodes: [] };
    expect(describeOperation(report)).toBe('Undecided:\n  a: reverted[2JRight.');
  });
});
