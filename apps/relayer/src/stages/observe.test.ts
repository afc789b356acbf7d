import { describe, expect, it } from '@jest/globals';
import { ReorgTooDeepError, type NodeFault, type ReadPosition, type ReadStep } from '@causeway/chain';
import { FinalityBrokenError, type Halt, type ScannedBlock } from '@causeway/store';
import { aBlock, aTransfer } from '@causeway/store/test';
import { aHash, ETHEREUM } from '@causeway/test-kit';
import { pino } from 'pino';
import { splitIntoChunks, ObserveStage } from './observe.js';

const FENCE = { name: 'relayer', token: 1n };
const chain = { side: 'ethereum', chainId: ETHEREUM, deployedAtBlock: 5n, confirmations: 12 } as const;

/** A store in memory that records what the stage does. */
class MemoryStore {
  readonly calls: string[] = [];
  halts: Halt[] = [];
  nextBlock: bigint | null = null;
  finalityBroken = false;
  readonly hashes = new Map<bigint, `0x${string}`>();

  readonly port = {
    halts: {
      list: async () => this.halts,
      halt: async (_: number, reason: string) => (this.calls.push(`halt: ${reason.slice(0, 20)}`), true),
    },
    scan: {
      cursor: async () => (this.nextBlock === null ? null : { nextBlock: this.nextBlock, headBlock: 0n }),
      block: async (_: number, number: bigint) => {
        const hash = this.hashes.get(number);
        return hash === undefined ? null : { number, hash, timestamp: new Date(0) };
      },
      begin: async (_: unknown, __: number, block: bigint) => {
        this.nextBlock = block;
        this.calls.push(`begin ${block}`);
      },
      extend: async (_: unknown, __: number, blocks: ScannedBlock[], head: bigint, from: bigint) => {
        if (from !== this.nextBlock) throw new Error(`The cursor is at ${this.nextBlock}, not ${from}`);
        for (const { number, hash } of blocks) this.hashes.set(number, hash);
        this.nextBlock = blocks.at(-1)!.number + 1n;
        this.calls.push(`extend ${from} to ${this.nextBlock - 1n} of ${head}`);
      },
      rollBack: async (_: unknown, __: number, ancestor: bigint) => {
        if (this.finalityBroken) throw new FinalityBrokenError(ETHEREUM, ['0x1']);
        this.nextBlock = ancestor + 1n;
        this.calls.push(`roll back to ${ancestor}`);
      },
      confirmHead: async () => void this.calls.push('confirm'),
    },
  };
}

/** A stage whose reader returns these steps, one after the other. */
function stageWith(steps: (ReadStep | Error)[]) {
  const store = new MemoryStore();
  const clock = { now: 0 };
  const positions: ReadPosition[] = [];
  let report: (fault: NodeFault) => void = () => undefined;
  const logged: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const stage = new ObserveStage('ethereum', () => ({
    chain,
    store: store.port,
    logger,
    now: () => clock.now,
    decode: async (step) =>
      step.blocks.map(({ number, hash, transfers }) =>
        aBlock(number, { hash, transfers: transfers.map(() => aTransfer()) }),
      ),
    createReader: (to) => {
      report = to;
      return {
        read: async (position) => {
          positions.push(position);
          const step = steps.shift();
          if (step === undefined) throw new Error('No step is left');
          if (step instanceof Error) throw step;
          return step;
        },
      };
    },
  }));
  return { stage, store, clock, positions, logged, report: (fault: NodeFault) => report(fault) };
}

const extend = (from: bigint, to: bigint, head = to): ReadStep => ({
  kind: 'extend',
  head,
  from,
  blocks: [{ number: to, hash: aHash(), timestampSeconds: 0n, logs: [], transfers: [] }],
});

describe('the stage observe', () => {
  it('starts at the deployment, stores what it reads, and returns true', async () => {
    const { stage, store } = stageWith([extend(5n, 9n), { kind: 'idle', head: 9n }]);
    expect([await stage.run(FENCE), await stage.run(FENCE), await stage.run(FENCE)]).toEqual([true, true, false]);
    expect(store.calls).toEqual(['begin 5', 'extend 5 to 9 of 9', 'confirm']);
  });

  it('reads ahead while it stores, but only far behind the head', async () => {
    const { stage, store, positions } = stageWith([extend(5n, 99n, 500n), extend(100n, 495n, 500n)]);
    await stage.run(FENCE);
    await stage.run(FENCE);
    expect(positions.map(({ nextBlock }) => nextBlock)).toEqual([5n, 100n]);
    await stage.run(FENCE);
    expect(positions).toHaveLength(2);
    expect(store.calls.slice(1)).toEqual(['extend 5 to 99 of 500', 'extend 100 to 495 of 500']);
  });

  it('discards what it read ahead when another process moved the cursor', async () => {
    const { stage, store, positions } = stageWith([extend(5n, 99n, 500n), extend(100n, 199n, 500n), extend(50n, 51n)]);
    await stage.run(FENCE);
    await stage.run(FENCE);
    store.nextBlock = 50n;
    await stage.run(FENCE);
    expect(positions.map(({ nextBlock }) => nextBlock)).toEqual([5n, 100n, 50n]);
    expect(store.nextBlock).toBe(52n);
  });

  it('throws a failure of reading ahead in the next run, and then reads again', async () => {
    const { stage, store } = stageWith([extend(5n, 99n, 500n), new Error('away'), extend(100n, 101n)]);
    await stage.run(FENCE);
    await stage.run(FENCE);
    await expect(stage.run(FENCE)).rejects.toThrow('away');
    expect(await stage.run(FENCE)).toBe(true);
    expect(store.nextBlock).toBe(102n);
  });

  it('rolls back a reorg', async () => {
    const { stage, store } = stageWith([{ kind: 'reorg', head: 9n, ancestor: 7n }]);
    store.nextBlock = 10n;
    expect(await stage.run(FENCE)).toBe(true);
    expect(store.calls).toEqual(['roll back to 7']);
  });

  it('halts its chain when a final block is gone or no common ancestor is found', async () => {
    const broken = stageWith([{ kind: 'reorg', head: 9n, ancestor: 7n }]);
    Object.assign(broken.store, { nextBlock: 10n, finalityBroken: true });
    await broken.stage.run(FENCE);
    expect(broken.store.calls).toEqual(['halt: A reorg of chain 313']);
    const tooDeep = stageWith([new ReorgTooDeepError(9)]);
    tooDeep.store.nextBlock = 10n;
    await tooDeep.stage.run(FENCE);
    expect(tooDeep.store.calls).toEqual(['halt: The last 9 blocks th']);
  });

  it('reads nothing of a halted chain, and repeats the halt in the log', async () => {
    const { stage, store, clock, logged, positions } = stageWith([]);
    store.halts = [{ chainId: ETHEREUM, since: new Date(0), reason: 'look' }];
    for (const now of [0, 30_000, 60_000]) {
      clock.now = now;
      expect(await stage.run(FENCE)).toBe(false);
    }
    expect(positions).toEqual([]);
    expect(logged).toHaveLength(2);
    expect(logged[0]).toContain('until an operator resumes it');
  });

  it('confirms the head at intervals, and never by lagging nodes', async () => {
    const idle = (head: bigint): ReadStep => ({ kind: 'idle', head });
    const { stage, store, clock } = stageWith([idle(9n), idle(9n), idle(4n), idle(9n)]);
    store.nextBlock = 10n;
    for (const now of [0, 4_000, 9_000, 9_000]) {
      clock.now = now;
      await stage.run(FENCE);
    }
    expect(store.calls).toEqual(['confirm', 'confirm']);
  });

  it('reports a node that hides logs', async () => {
    const { stage, store, logged, report } = stageWith([{ kind: 'idle', head: 9n }]);
    store.nextBlock = 10n;
    await stage.run(FENCE);
    report({ node: 'liar.example', block: 7n, hidden: 1, invented: 0 });
    expect(logged[0]).toContain('"node":"liar.example","block":"7","hidden":1');
  });
});

describe('splitIntoChunks', () => {
  const makeBlock = (number: number, transfers: number) =>
    aBlock(BigInt(number), { transfers: Array.from({ length: transfers }, () => aTransfer()) });

  it.each<[string, number[], number[]]>([
    ['few events together', [800, 800, 400], [3]],
    ['more events separately', [800, 800, 401, 5], [2, 2]],
    ['a full block alone', [1, 2_400, 1], [1, 1, 1]],
    ['blocks without events', Array.from({ length: 2_500 }, () => 0), [1_000, 1_000, 500]],
    ['nothing', [], []],
  ])('%s', (_, transfers, sizes) => {
    const blocks = transfers.map((count, index) => makeBlock(index, count));
    const chunks = splitIntoChunks(blocks);
    expect(chunks.map(({ length }) => length)).toEqual(sizes);
    expect(chunks.flat()).toEqual(blocks);
  });
});
