import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { BoundedLookups, type LookupLimits } from './bounded-lookups.js';

/** Look-ups that the test completes. */
function scripted(over: Partial<LookupLimits> = {}) {
  const begun: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const limits = { concurrent: 2, waiting: 2, timeoutMs: 1_000, rememberMs: 10, ...over };
  const lookups = new BoundedLookups(limits, async (key) => {
    begun.push(key);
    await new Promise<void>((resolve, reject) => ends.set(key, (error) => (error ? reject(error) : resolve())));
    return `answer of ${key}`;
  });
  const end = async (key: string, error?: Error) => {
    ends.get(key)?.(error);
    await sleep(0);
  };
  return { begun, lookups, end };
}
const UNAVAILABLE = expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' });

describe('a look-up', () => {
  it('of one key runs once for all callers, and is remembered for a while', async () => {
    const { begun, lookups, end } = scripted();
    const asked = [lookups.get('a'), lookups.get('a')];
    await end('a');
    expect(await Promise.all([...asked, lookups.get('a')])).toEqual(Array(3).fill('answer of a'));
    expect(begun).toEqual(['a']);
    await sleep(15);
    const again = lookups.get('a');
    await end('a');
    await again;
    expect(begun).toEqual(['a', 'a']);
  });

  it('that failed is not repeated immediately', async () => {
    const { begun, lookups, end } = scripted();
    const asked = lookups.get('a').catch((error: unknown) => error);
    await end('a', new Error('away'));
    expect(await asked).toEqual(new Error('away'));
    await expect(lookups.get('a')).rejects.toThrow('away');
    expect(begun).toEqual(['a']);
  });

  it('is queued, and refused when the queue is full', async () => {
    const { begun, lookups, end } = scripted();
    const answers = ['a', 'b', 'c', 'd'].map((key) => lookups.get(key));
    await expect(lookups.get('e')).rejects.toEqual(UNAVAILABLE);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(begun).toEqual(['a', 'b', 'c']);
    for (const key of ['a', 'c', 'd']) await end(key);
    expect(await Promise.all(answers)).toEqual(['a', 'b', 'c', 'd'].map((key) => `answer of ${key}`));
    const later = lookups.get('e');
    await end('e');
    expect(await later).toBe('answer of e');
  });

  it('that takes too long fails for its callers, and keeps its slot until it ends', async () => {
    const { begun, lookups, end } = scripted({ concurrent: 1, timeoutMs: 5 });
    await expect(lookups.get('a')).rejects.toEqual(UNAVAILABLE);
    await expect(lookups.get('b')).rejects.toEqual(UNAVAILABLE);
    expect(begun).toEqual(['a']);
    await end('a');
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    expect(await lookups.get('b')).toBe('answer of b');
  });
});
