import { describe, expect, it } from '@jest/globals';
import { QuorumError } from '@causeway/chain';
import { isReadToHead } from './origin.js';

/** A chain whose quorum is at `head`, read up to the block before `nextBlock`. */
const isRead = (nextBlock: bigint | null, head: bigint | Error) => {
  const scan = { cursor: async () => (nextBlock === null ? null : { nextBlock, headBlock: nextBlock - 1n }) };
  const finality = {
    recentHead: async () => {
      if (head instanceof Error) throw head;
      return head;
    },
  };
  return isReadToHead({ scan }, { chainId: 1, confirmations: 6, finality });
};

describe('isReadToHead', () => {
  it.each<[string, bigint | null, bigint, boolean]>([
    ['a chain read to its head', 101n, 100n, true],
    ['one whose last final block was read', 96n, 100n, true],
    ['one whose last final block was not read: it catches up, or the database is an old backup', 95n, 100n, false],
    ['one that was never read', null, 0n, false],
    ['one whose nodes lag behind the database', 101n, 50n, true],
  ])('%s', async (_, nextBlock, head, expected) => {
    expect(await isRead(nextBlock, head)).toBe(expected);
  });

  it('returns true when too few nodes answer, so that the delivery fails with the reason', async () => {
    expect(await isRead(1n, new QuorumError('a chain', 2, []))).toBe(true);
    await expect(isRead(1n, new Error('a defect'))).rejects.toThrow('a defect');
  });
});
