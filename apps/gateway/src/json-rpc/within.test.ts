import { describe, expect, it } from '@jest/globals';
import { within } from './within.js';

describe('within', () => {
  it('gives what the call gives', async () => {
    await expect(within(1_000, Promise.resolve('result'))).resolves.toBe('result');
    await expect(within(1_000, Promise.reject(new TypeError('broken')))).rejects.toThrow('broken');
  });

  it('makes an error of what is none', async () => {
    // eslint-disable-next-line prefer-promise-reject-errors
    await expect(within(1_000, Promise.reject('text'))).rejects.toMatchObject({ cause: 'text' });
  });

  it('gives up after its time, and a later failure of the call does no harm', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    await expect(within(10, promise)).rejects.toMatchObject({ code: -32002 });
    reject(new Error('too late'));
    await expect(promise).rejects.toThrow('too late');
  });
});
