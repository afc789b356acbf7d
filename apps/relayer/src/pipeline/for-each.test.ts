import { describe, expect, it } from '@jest/globals';
import { NodeUnavailableError, SignerUnavailableError } from '@causeway/chain';
import { FenceLostError } from '@causeway/store';
import { HttpRequestError } from 'viem';
import { forEachParallel, forEachSequential, inOneStep } from './for-each.js';

const failing = (failures: Readonly<Record<string, Error>>) => {
  const done: string[] = [];
  const work = async (item: string) => {
    const failure = failures[item];
    if (failure !== undefined) throw failure;
    done.push(item);
  };
  return { done, work };
};

describe('forEachSequential', () => {
  it('processes the other items when one fails, and then throws the failure', async () => {
    const { done, work } = failing({ a: new Error('of a') });
    await expect(forEachSequential(['a', 'b', 'c'], work)).rejects.toThrow('of a');
    expect(done).toEqual(['b', 'c']);
  });

  it('throws all failures', async () => {
    const [one, other] = [new Error('of a'), new Error('of c')];
    const { done, work } = failing({ a: one, c: other });
    await expect(forEachSequential(['a', 'b', 'c'], work)).rejects.toMatchObject({ errors: [one, other] });
    expect(done).toEqual(['b']);
  });

  it.each([
    ['the lease is lost', new FenceLostError({ name: 'relayer', token: 1n })],
    ['no node answers', new NodeUnavailableError('timeout')],
    ['the signer does not answer', new SignerUnavailableError('AWS KMS', 'timeout')],
    ['no node answers a direct request', new HttpRequestError({ url: 'http://node.example' })],
  ])('stops immediately when %s', async (_, failure) => {
    const { done, work } = failing({ b: failure });
    await expect(forEachSequential(['a', 'b', 'c'], work)).rejects.toBe(failure);
    expect(done).toEqual(['a']);
  });
});

describe('inOneStep', () => {
  it('processes everything in one call', async () => {
    const calls: (readonly string[])[] = [];
    await inOneStep(['a', 'b', 'c'], async (items) => void calls.push(items));
    await inOneStep([], async (items) => void calls.push(items));
    expect(calls).toEqual([['a', 'b', 'c']]);
  });

  it('processes the others when one fails, and then throws the failure', async () => {
    const done: string[] = [];
    const work = async (items: readonly string[]) => {
      if (items.includes('c')) throw new Error('of c');
      done.push(...items);
    };
    await expect(inOneStep(['a', 'b', 'c', 'd', 'e'], work)).rejects.toThrow('of c');
    expect(done).toEqual(['a', 'b', 'd', 'e']);
  });

  it('stops when the lease is lost', async () => {
    let calls = 0;
    const lost = new FenceLostError({ name: 'relayer', token: 1n });
    const work = async () => {
      calls += 1;
      throw lost;
    };
    await expect(inOneStep(['a', 'b', 'c'], work)).rejects.toBe(lost);
    expect(calls).toBe(1);
  });
});

describe('forEachParallel', () => {
  it('lets the others finish when one fails, and throws a lost lease before other failures', async () => {
    const lost = new FenceLostError({ name: 'relayer', token: 1n });
    const { done, work } = failing({ a: new Error('of a'), b: lost });
    await expect(forEachParallel(['a', 'b', 'c'], work)).rejects.toBe(lost);
    expect(done).toEqual(['c']);
  });
});
