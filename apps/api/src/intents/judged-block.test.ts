import { describe, expect, it } from '@jest/globals';
import type { AgreedBlock } from '@causeway/chain';
import { anAddressBook } from '@causeway/test-kit';
import { chooseJudgedBlock } from './judged-block.js';

const book = anAddressBook();
const configuration = {
  addressBook: { ...book, partner: { ...book.partner, deployedAtBlock: 100 } },
  timing: {
    ethereumConfirmations: 12,
    partnerConfirmations: 6,
    holdSeconds: 3_600,
    blockSeconds: { ethereum: 12, partner: 2 },
  },
};
/** Blocks of two seconds. */
const toTime = (number: bigint) => 1_000_000n + 2n * number;

/** @param pauseBefore the block before which the chain made no blocks for an hour. */
async function choose(head: bigint, read: bigint | null, pauseBefore: bigint | null = null) {
  const toTimestamp = (number: bigint) =>
    toTime(number) + (pauseBefore !== null && number >= pauseBefore ? 3_600n : 0n);
  const partner = {
    agreedHead: async () => head,
    agreedBlock: async (number: bigint) =>
      ({ number, hash: '0x', parentHash: '0x', timestampSeconds: toTimestamp(number) }) satisfies AgreedBlock,
  };
  const block =
    read === null
      ? null
      : { number: read, hash: '0x' as const, timestamp: new Date(Number(toTimestamp(read)) * 1_000) };
  return chooseJudgedBlock(partner, block, configuration);
}

describe('an intent is judged', () => {
  it.each<[string, bigint, bigint | null, bigint | null, bigint, boolean]>([
    ['at the final block when the relayer has read it', 1_000n, 1_000n, null, 995n, false],
    ['at the final block when the nodes are behind the relayer', 1_000n, 1_020n, null, 995n, false],
    ['at the newest block read when the nodes are ahead of the relayer', 1_000n, 970n, null, 970n, false],
    ['at the newest block read while it is recent enough', 1_000n, 964n, null, 964n, false],
    ['late, at the final block, when the relayer lags more than a minute', 1_000n, 963n, null, 995n, true],
    ['late when the API nodes lag more than a minute', 1_000n, 1_032n, null, 995n, true],
    ['late while no block after a gap is final', 1_000n, 1_000n, 996n, 995n, true],
    ['at the final block while the relayer has read none', 1_000n, null, null, 995n, false],
    ['at the block of the deployment while no later one is final', 102n, 102n, null, 100n, false],
    ['at the block of the deployment while no later one was read', 110n, 1n, null, 100n, false],
  ])('%s', async (_, head, read, pauseBefore, number, isLate) => {
    expect(await choose(head, read, pauseBefore)).toEqual({ number, isLate });
  });

  it('later when the nodes lack the block', async () => {
    const gone = { agreedHead: async () => 1_000n, agreedBlock: async () => null };
    expect(await chooseJudgedBlock(gone, null, configuration)).toBeNull();
  });
});
