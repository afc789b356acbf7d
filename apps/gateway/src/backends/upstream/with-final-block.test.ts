import { describe, expect, it } from '@jest/globals';
import { withFinalBlock } from './with-final-block.js';

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
  ])('puts a number in the place of %s', (_, params, settled) => {
    expect(withFinalBlock(params, 10, 6)).toEqual(settled);
  });

  it('leaves other params as they are, and all while no head is known', () => {
    const params = [ADDRESS, 'latest', { data: '0x' }, null, 7];
    expect(withFinalBlock(params, 10, 6)).toBe(params);
    expect(withFinalBlock(['safe'], null, 6)).toEqual(['safe']);
  });

  it('is the first block of a chain that is too short, and the newest with one confirmation', () => {
    expect(withFinalBlock(['safe'], 3, 6)).toEqual(['0x0']);
    expect(withFinalBlock(['safe'], 3, 1)).toEqual(['0x3']);
  });
});
