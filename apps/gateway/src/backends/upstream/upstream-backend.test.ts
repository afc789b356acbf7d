import { describe, expect, it } from '@jest/globals';
import { withFinalBlock } from './upstream-backend.js';

const ADDRESS = `0x${'11'.repeat(20)}`;

describe('withFinalBlock', () => {
  it.each([
    ['a tag', [ADDRESS, 'finalized'], [ADDRESS, '0x5']],
    [
      'a filter',
      [{ address: ADDRESS, fromBlock: 'safe', toBlock: 'latest' }],
      [{ address: ADDRESS, fromBlock: '0x5', toBlock: 'latest' }],
    ],
    ['a block of EIP-1898', [ADDRESS, { blockNumber: 'safe' }], [ADDRESS, { blockNumber: '0x5' }]],
    ['every place', ['safe', { toBlock: 'finalized' }, null], ['0x5', { toBlock: '0x5' }, null]],
  ])('replaces %s by a number', (_, params, settled) => {
    expect(withFinalBlock(params, 10, 6)).toEqual(settled);
  });

  it('changes no other params, and none while no head is known', () => {
    const params = [ADDRESS, 'latest', { data: '0x' }, null, 7];
    expect(withFinalBlock(params, 10, 6)).toBe(params);
    expect(withFinalBlock(['safe'], null, 6)).toEqual(['safe']);
  });

  it('uses block 0 of a chain that is too short, and the newest block with one confirmation', () => {
    expect(withFinalBlock(['safe'], 3, 6)).toEqual(['0x0']);
    expect(withFinalBlock(['safe'], 3, 1)).toEqual(['0x3']);
  });
});
