import { describe, expect, it } from '@jest/globals';
import type { Operation } from '@causeway/store';
import { aBlock } from '@causeway/store/test';
import { aHash, ETHEREUM, PARTNER } from '@causeway/test-kit';
import { HoldStage } from './hold.js';

const FENCE = { name: 'relayer', token: 1n };
const operation = (holdUntil: Date | null) => ({ id: aHash(), holdUntil }) as Operation;

/**
 * The stage on a scripted store. `over`: holds that end by the newest block of a chain; `moved`: ones that another step
 * handled first.
 */
function stage(
  over: ReadonlyMap<number, readonly Operation[]>,
  {
    moved = [],
    unread = [],
    unconfirmed = [],
    broken = [],
  }: Partial<Record<'moved' | 'broken', string[]>> & Partial<Record<'unread' | 'unconfirmed', number[]>> = {},
) {
  const newest = new Map([ETHEREUM, PARTNER].map((chainId, index) => [chainId, aBlock(BigInt(index))]));
  const released: { id: string; at: Date }[] = [];
  const store = {
    operations: {
      findHoldsOver: async (chainId: number, time: Date, isLocal: boolean) =>
        !isLocal && time === newest.get(chainId)?.timestamp ? [...(over.get(chainId) ?? [])] : [],
      releaseHolds: async (_: unknown, ids: readonly string[], at: Date) => {
        const failing = ids.find((id) => broken.includes(id));
        if (failing !== undefined) throw new Error(`of ${failing}`);
        const written = ids.filter((id) => !moved.includes(id));
        released.push(...written.map((id) => ({ id, at })));
        return new Set(written);
      },
    },
    scan: { latestBlock: async (chainId: number) => (unread.includes(chainId) ? null : newest.get(chainId)!) },
  };
  const logged: unknown[] = [];
  const asked: number[] = [];
  const chain = (chainId: number) => {
    const { number, hash } = newest.get(chainId)!;
    const agreed = { number, hash, parentHash: aHash(), timestampSeconds: 0n };
    const blockAt = async () => {
      asked.push(chainId);
      return unconfirmed.includes(chainId) ? null : agreed;
    };
    const finality = { blockAt };
    return { chainId, finality };
  };
  const chains = { ethereum: chain(ETHEREUM), partner: chain(PARTNER) };
  const hold = new HoldStage(
    chains,
    store,
    { environment: 'mainnet' },
    { info: (fields: unknown) => void logged.push(fields) },
  );
  return {
    run: () => hold.run(FENCE),
    released,
    logged,
    asked,
    getTime: (chainId: number) => newest.get(chainId)!.timestamp,
  };
}

describe('the stage hold', () => {
  it('releases holds by the time of their own chain', async () => {
    const [deposit, burn] = [operation(new Date(1)), operation(new Date(1))];
    const { run, released, logged, getTime } = stage(
      new Map([
        [ETHEREUM, [deposit]],
        [PARTNER, [burn]],
      ]),
    );
    expect(await run()).toBe(true);
    expect(released).toEqual([
      { id: deposit.id, at: getTime(ETHEREUM) },
      { id: burn.id, at: getTime(PARTNER) },
    ]);
    expect(logged).toEqual([deposit, burn].map(({ id }) => ({ operationId: id })));
  });

  it('returns false when no hold has ended, nothing was read or confirmed, or another step was first', async () => {
    const burn = operation(new Date(1));
    const over = new Map([[PARTNER, [burn]]]);
    expect(await stage(new Map()).run()).toBe(false);
    expect(await stage(over, { unread: [PARTNER] }).run()).toBe(false);
    expect(await stage(over, { unconfirmed: [PARTNER] }).run()).toBe(false);
    expect(await stage(over, { moved: [burn.id] }).run()).toBe(false);
  });

  it('asks the nodes only about a chain on which a hold has ended', async () => {
    const { run, asked } = stage(new Map([[PARTNER, [operation(new Date(1))]]]));
    await run();
    expect(asked).toEqual([PARTNER]);
  });

  it('releases the others when one fails, on both chains', async () => {
    const [broken, other, deposit] = [operation(new Date(1)), operation(new Date(1)), operation(null)];
    const { run, released } = stage(
      new Map([
        [ETHEREUM, [deposit]],
        [PARTNER, [broken, other]],
      ]),
      { broken: [broken.id] },
    );
    await expect(run()).rejects.toThrow(`of ${broken.id}`);
    expect(released.map(({ id }) => id).toSorted()).toEqual([other.id, deposit.id].toSorted());
  });
});
