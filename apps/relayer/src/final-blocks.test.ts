import { describe, expect, it } from '@jest/globals';
import { QuorumError, type AgreedBlock } from '@causeway/chain';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { FinalBlocks } from './final-blocks.js';

const HASH = `0x${'a'.repeat(64)}` as const;
const OTHER = `0x${'b'.repeat(64)}` as const;

/** The nodes of a chain, which agree on the blocks up to `head`. Undefined: no quorum. */
class AgreeingNodes {
  head: bigint | undefined = 100n;
  hash: Hex | undefined = HASH;
  asked = 0;

  async agreedHead(): Promise<bigint> {
    if (this.head === undefined) throw new QuorumError('ethereum', 2, []);
    return this.head;
  }

  async agreedBlock(number: bigint): Promise<AgreedBlock | null> {
    this.asked++;
    if (this.hash === undefined) throw new QuorumError('ethereum', 2, []);
    if (this.head !== undefined && number > this.head) return null;
    return { number, hash: this.hash, parentHash: OTHER, timestampSeconds: 1_000n + number };
  }
}

function finalBlocks() {
  const nodes = new AgreeingNodes();
  const clock = { now: 0 };
  return { nodes, clock, blocks: new FinalBlocks(nodes, () => clock.now) };
}
const stored = (blockNumber: bigint, blockHash: Hex = HASH) => ({ blockNumber, blockHash });

describe('FinalBlocks', () => {
  it.each([
    ['with all confirmations, including its own block', 89n, 12, HASH, true],
    ['with one confirmation too few', 90n, 12, HASH, false],
    ['of another branch', 89n, 12, OTHER, false],
    ['above the head that the nodes agree on', 5_000n, 1, HASH, false],
  ])('judges a block %s', async (_, number, required, hash, expected) => {
    expect(await finalBlocks().blocks.isFinal(stored(number, hash), required)).toBe(expected);
  });

  it('reuses a head of less than half a second, also for concurrent requests', async () => {
    const { nodes, clock, blocks } = finalBlocks();
    expect(await blocks.head()).toBe(100n);
    nodes.head = 101n;
    clock.now = 499;
    expect(await blocks.recentHead()).toBe(100n);
    clock.now = 500;
    expect(await Promise.all([blocks.recentHead(), blocks.recentHead()])).toEqual([101n, 101n]);
    nodes.head = undefined;
    await expect(blocks.head()).rejects.toThrow(QuorumError);
    nodes.head = 102n;
    expect(await blocks.recentHead()).toBe(102n);
  });

  it('requests a block once, however many operations it holds', async () => {
    const { nodes, blocks } = finalBlocks();
    expect(await Promise.all([1, 2, 3].map(() => blocks.isFinal(stored(50n), 12)))).toEqual([true, true, true]);
    expect(await blocks.isFinal(stored(50n), 12)).toBe(true);
    expect(nodes.asked).toBe(1);
  });

  it('reuses an answer for less than 15 seconds, after which the nodes must agree again', async () => {
    const { nodes, clock, blocks } = finalBlocks();
    expect(await blocks.isFinal(stored(50n), 12)).toBe(true);
    nodes.hash = OTHER;
    clock.now = 14_999;
    expect(await blocks.isFinal(stored(50n), 12)).toBe(true);
    clock.now = 15_000;
    expect(await blocks.isFinal(stored(50n), 12)).toBe(false);
  });

  it('ignores an answer from before the block was deep enough, since a reorg may have followed', async () => {
    const { nodes, blocks } = finalBlocks();
    nodes.head = 60n;
    await blocks.head();
    expect((await blocks.blockAt(60n))?.hash).toBe(HASH);
    nodes.hash = OTHER;
    nodes.head = 71n;
    expect(await blocks.isFinal(stored(60n), 12)).toBe(false);
    expect(await blocks.isFinal(stored(60n, OTHER), 12)).toBe(true);
  });

  it('does not cache that a block was missing, different, or without a quorum', async () => {
    const { nodes, blocks } = finalBlocks();
    nodes.hash = undefined;
    await expect(blocks.isFinal(stored(50n), 12)).rejects.toThrow(QuorumError);
    nodes.hash = OTHER;
    expect(await blocks.isFinal(stored(50n), 12)).toBe(false);
    nodes.hash = HASH;
    expect(await blocks.isFinal(stored(50n), 12)).toBe(true);
    expect(await blocks.blockAt(101n)).toBeNull();
    nodes.head = 101n;
    expect(await blocks.blockAt(101n)).not.toBeNull();
  });

  it('is never final without an agreement of the last 15 seconds on head and hash', async () => {
    const moment = fc.record({
      passedMs: fc.integer({ min: 0, max: 20_000 }),
      head: fc.option(fc.bigInt(80n, 100n), { nil: undefined }),
      hash: fc.option(fc.constantFrom(HASH, OTHER), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(moment, { maxLength: 8 }), async (moments) => {
        const { nodes, clock, blocks } = finalBlocks();
        let [lastHead, lastHash] = [-Infinity, -Infinity];
        for (const { passedMs, head, hash } of moments) {
          clock.now += passedMs;
          Object.assign(nodes, { head, hash });
          if (head !== undefined && head >= 91n) lastHead = clock.now;
          if (hash === HASH) lastHash = clock.now;
          const isFinal = await blocks.isFinal(stored(80n), 12).catch(() => false);
          if (isFinal) expect(clock.now - Math.min(lastHead, lastHash)).toBeLessThan(15_000);
        }
      }),
    );
  });
});
