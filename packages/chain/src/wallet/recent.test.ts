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
  it('keeps a value until it is too old', async () => {
    const { script, recent } = scripted();
    expect(await recent.get()).toBe(1);
    script.ms = 499;
    expect(await recent.get()).toBe(1);
    script.ms = 500;
    expect(await recent.get()).toBe(2);
  });

  it('shares one read between callers, and gives the known value while a newer one is read', async () => {
    const { script, recent } = scripted();
    expect(await Promise.all([recent.get(), recent.get()])).toEqual([1, 1]);
    const renewed = recent.renew();
    expect(await recent.get()).toBe(1);
    expect(await renewed).toBe(2);
    expect(await recent.get()).toBe(2);
    expect(script.reads).toBe(2);
  });

  it('keeps nothing of a failed read', async () => {
    const { script, recent } = scripted();
    script.fails = true;
    await expect(recent.get()).rejects.toThrow('away');
    script.fails = false;
    expect(await recent.get()).toBe(2);
  });
});
