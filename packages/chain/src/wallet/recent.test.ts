import { describe, expect, it } from '@jest/globals';
import { Recent } from './recent.js';

function scripted() {
  const script = { ms: 0, reads: 0, fails: false };
  const read = async () => {
    script.reads += 1;
    if (script.fails) throw new Error('away');
    return script.reads;
  };
  return { script, recent: new Recent(read, 500, () => script.ms) };
}

describe('Recent', () => {
  it('caches a value until it is too old', async () => {
    const { script, recent } = scripted();
    expect(await recent.get()).toBe(1);
    script.ms = 499;
    expect(await recent.get()).toBe(1);
    script.ms = 500;
    expect(await recent.get()).toBe(2);
  });

  it('shares one read between callers, and returns the cached value during a renewal', async () => {
    const { script, recent } = scripted();
    expect(await Promise.all([recent.get(), recent.get()])).toEqual([1, 1]);
    const renewed = recent.renew();
    expect(await recent.get()).toBe(1);
    expect(await renewed).toBe(2);
    expect(await recent.get()).toBe(2);
    expect(script.reads).toBe(2);
  });

  it('ignores an older read that ends after a newer one, or while a newer one runs', async () => {
    const ends: ((value: number) => void)[] = [];
    let ms = 0;
    const read = async () => await new Promise<number>((resolve) => ends.push(resolve));
    const recent = new Recent(read, 500, () => ms);
    const first = recent.renew();
    ms = 1;
    const second = recent.renew();
    ends[1]?.(2);
    expect(await second).toBe(2);
    ends[0]?.(1);
    expect(await first).toBe(1);
    expect(await recent.get()).toBe(2);
    const third = recent.renew();
    const fourth = recent.renew();
    ends[2]?.(3);
    expect(await third).toBe(3);
    ms = 1_000;
    const shared = recent.get();
    expect(ends).toHaveLength(4);
    ends[3]?.(4);
    expect(await Promise.all([fourth, shared])).toEqual([4, 4]);
  });

  it('does not cache a failed read', async () => {
    const { script, recent } = scripted();
    script.fails = true;
    await expect(recent.get()).rejects.toThrow('away');
    script.fails = false;
    expect(await recent.get()).toBe(2);
  });
});
