import { describe, expect, it } from '@jest/globals';
import { describeGap } from './state-check.js';

const read = { number: 93n, hash: '0xaa' } as const;

describe('the comparison of a chain with the database', () => {
  it('passes when the chain has the newest block that was read', () => {
    expect(describeGap('Ethereum', 93n, read, '0xaa')).toBeNull();
    expect(describeGap('Ethereum', 200n, read, '0xaa')).toBeNull();
  });

  it('names the missing blocks', () => {
    const several = describeGap('Ethereum', 90n, read, null);
    expect(several).toContain('Ethereum is at block 90, but the bridge has read up to block 93');
    expect(several).toContain('blocks 91 to 93 are missing');
    expect(describeGap('Ethereum', 92n, read, null)).toContain('block 93 is missing');
  });

  it('detects another block at the same height', () => {
    expect(describeGap('the partner chain', 95n, read, '0xbb')).toContain(
      'block 93 of the partner chain is not the one',
    );
  });
});
