import { describe, expect, it } from '@jest/globals';
import { NodeUnavailableError } from '@causeway/chain';
import { FenceLostError } from '@causeway/store';
import { HttpRequestError } from 'viem';
import { atOnce } from './at-once.js';
import { eachInTurn } from './each-in-turn.js';

const failing = (failures: Readonly<Record<string, Error>>) => {
  const done: string[] = [];
  const work = async (item: string) => {
    const failure = failures[item];
    if (failure !== undefined) throw failure;
    done.push(item);
  };
  return { done, work };
};

describe('eachInTurn', () => {
  it('gives the others their turn when one fails, and throws its failure in the end', async () => {
    const { done, work } = failing({ a: new Error('of a') });
    await expect(eachInTurn(['a', 'b', 'c'], work)).rejects.toThrow('of a');
    expect(done).toEqual(['b', 'c']);
  });

  it('throws all failures', async () => {
    const [one, other] = [new Error('of a'), new Error('of c')];
    const { done, work } = failing({ a: one, c: other });
    await expect(eachInTurn(['a', 'b', 'c'], work)).rejects.toMatchObject({ errors: [one, other] });
    expect(done).toEqual(['b']);
  });

  it.each([
    ['the lease is lost', new FenceLostError({ name: 'relayer', token: 1n })],
    ['no node answers', new NodeUnavailableError('timeout')],
    ['no node answers a question put to it directly', new HttpRequestError({ url: 'http://node.example' })],
  ])('stops at once when %s', async (_, failure) => {
    const { done, work } = failing({ b: failure });
    await expect(eachInTurn(['a', 'b', 'c'], work)).rejects.toBe(failure);
    expect(done).toEqual(['a']);
  });
});

describe('atOnce', () => {
  it('lets the others end when one fails; a lost lease is told before all else', async () => {
    const lost = new FenceLostError({ name: 'relayer', token: 1n });
    const { done, work } = failing({ a: new Error('of a'), b: lost });
    await expect(atOnce(['a', 'b', 'c'], work)).rejects.toBe(lost);
    expect(done).toEqual(['c']);
  });
});
