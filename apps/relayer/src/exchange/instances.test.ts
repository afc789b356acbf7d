import { describe, expect, it } from '@jest/globals';
import { anAddress } from '@causeway/test-kit';
import { Instances } from './instances.js';

describe('the processes of a key', () => {
  const [A, B] = [anAddress(), anAddress()];

  it('are one after a restart, and two while both ask', () => {
    const instances = new Instances();
    expect(instances.note(A, 'old', 0)).toBe(1);
    expect(instances.note(A, 'new', 1_000)).toBe(1);
    expect(instances.note(A, 'new', 11_000)).toBe(1);
    expect(instances.note(A, 'old', 12_000)).toBe(2);
    expect(instances.note(B, 'other', 12_000)).toBe(1);
    expect([...instances.list(13_000)]).toEqual([
      [A, 2],
      [B, 1],
    ]);
  });

  it('are forgotten a minute after they asked last', () => {
    const instances = new Instances();
    for (const [id, at] of [
      ['one', 0],
      ['two', 1_000],
      ['one', 2_000],
    ] as const)
      instances.note(A, id, at);
    expect(instances.note(A, 'two', 70_000)).toBe(1);
    expect([...instances.list(200_000)]).toEqual([[A, 0]]);
  });
});
