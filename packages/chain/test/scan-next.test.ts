import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPublicClient, http, type Hex, type PublicClient } from 'viem';
import { ReorgTooDeepError, scanNext, type ScanResult } from '../src/index.js';
import { startAnvil, type Anvil } from './start-anvil.js';

let anvil: Anvil;
let client: PublicClient;
/** What a reader has stored. */
let stored: Map<bigint, Hex>;
let nextBlock: bigint;

beforeAll(async () => {
  anvil = await startAnvil();
  client = createPublicClient({ transport: http(anvil.url), cacheTime: 0 });
}, 30_000);
afterAll(async () => anvil.stop());
beforeEach(async () => {
  stored = new Map();
  nextBlock = (await client.getBlockNumber()) + 1n;
});

async function scan(maxBlocks = 50): Promise<ScanResult> {
  const result = await scanNext({
    client,
    cursor: { nextBlock, lastHash: stored.get(nextBlock - 1n) ?? null },
    recentHashes: (number) => Promise.resolve(stored.get(number) ?? null),
    watch: { contracts: [], receivers: [] },
    maxBlocks,
  });
  if (result.kind === 'extend') {
    for (const { number, hash } of result.blocks) stored.set(number, hash);
    nextBlock += BigInt(result.blocks.length);
  }
  return result;
}

describe('scanNext', () => {
  it('reads what is new, in bounded steps, and is idle when there is nothing', async () => {
    expect((await scan()).kind).toBe('idle');
    await anvil.test.mine({ blocks: 45 });
    expect(await scan(30)).toMatchObject({ kind: 'extend', blocks: { length: 30 } });
    expect(await scan(30)).toMatchObject({ kind: 'extend', blocks: { length: 15 } });
    expect((await scan()).kind).toBe('idle');
  });

  it('finds the newest common block after a reorg of any depth', async () => {
    await anvil.test.mine({ blocks: 20 });
    await scan();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_reorg', params: [7, []] } as never);
    await anvil.test.mine({ blocks: 1 });
    expect(await scan()).toMatchObject({ kind: 'reorg', ancestor: head - 7n });
  });

  it('recognises a reorg also when the chain has become shorter', async () => {
    await anvil.test.mine({ blocks: 10 });
    await scan();
    const head = await client.getBlockNumber();
    await anvil.test.request({ method: 'anvil_rollback', params: [5] } as never);
    // Shorter, but every block it has is one we know: it may only lag.
    expect((await scan()).kind).toBe('idle');
    await anvil.test.mine({ blocks: 2, interval: 3 });
    expect(await scan()).toMatchObject({ kind: 'reorg', ancestor: head - 5n });
  });

  it('gives up, aloud, when nothing that was read is on the chain any more', async () => {
    await anvil.test.mine({ blocks: 3 });
    await scan();
    for (const number of stored.keys()) stored.set(number, `0x${'11'.repeat(32)}`);
    await anvil.test.mine({ blocks: 1 });
    await expect(scan()).rejects.toThrow(ReorgTooDeepError);
  });
});
