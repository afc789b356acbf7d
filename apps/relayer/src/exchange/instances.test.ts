import { describe, expect, it } from '@jest/globals';
import { anAddress } from '@causeway/test-kit';
import { Instances } from './instances.js';

describe('the processes of a key', () => {
  const [A, B] = [anAddress(), anAddress()];
  const begin = () => {
    const request = new AbortController();
    return { signal: request.signal, end: () => request.abort() };
  };

  /** A request that is answered immediately. */
  function ask(instances: Instances, attester: typeof A, instance: string, atMs: number): number {
    const { signal, end } = begin();
    const count = instances.note(attester, instance, atMs, signal);
    end();
    return count;
  }

  it('count as one after a restart, and as two while both poll', () => {
    const instances = new Instances();
    expect(ask(instances, A, 'old', 0)).toBe(1);
    expect(ask(instances, A, 'new', 1_000)).toBe(1);
    expect(ask(instances, A, 'new', 11_000)).toBe(1);
    expect(ask(instances, A, 'old', 12_000)).toBe(2);
    expect(ask(instances, B, 'other', 12_000)).toBe(1);
    expect([...instances.list(13_000)]).toEqual([
      [A, 2],
      [B, 1],
    ]);
  });

  it('count as two from the first request while the other waits for its answer', () => {
    const instances = new Instances();
    const waiting = begin();
    expect(instances.note(A, 'old', 0, waiting.signal)).toBe(1);
    expect(ask(instances, A, 'new', 1_000)).toBe(2);
    waiting.end();
    expect(ask(instances, A, 'new', 2_000)).toBe(1);
  });

  it('are forgotten half a minute after their last poll', () => {
    const instances = new Instances();
    for (const [id, at] of [
      ['one', 0],
      ['two', 1_000],
      ['one', 2_000],
    ] as const)
      ask(instances, A, id, at);
    expect(ask(instances, A, 'two', 70_000)).toBe(1);
    expect([...instances.list(200_000)]).toEqual([[A, 0]]);
  });
});
