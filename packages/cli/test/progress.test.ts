import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { LyingWorld, NOW } from './lying-world.js';

beforeAll(() => {
  jest.spyOn(Date, 'now').mockReturnValue(NOW);
});
afterAll(() => {
  jest.restoreAllMocks();
});

describe('a transfer with --json', () => {
  it('prints each change of each step, with the hash while it is pending', async () => {
    const words = ['deposit', 'XCN', '700'];
    const { events } = await new LyingWorld({
      name: 'deposit',
      side: 'ethereum',
      asset: 'XCN',
      amount: '700',
      words,
    }).run();
    const hash = expect.stringMatching(/^0x[\da-f]{64}$/);
    const change = (step: string, state: string, more: object = {}) =>
      expect.objectContaining({ event: 'step', step, state, message: expect.any(String), ...more });
    expect(events).toEqual([
      expect.objectContaining({ event: 'terms' }),
      change('check', 'asked'),
      change('check', 'done'),
      expect.objectContaining({ event: 'record' }),
      change('approval', 'asked', { position: 1, count: 2 }),
      change('approval', 'sent', { hash }),
      change('approval', 'done', { hash }),
      change('transfer', 'asked', { position: 2, count: 2 }),
      change('transfer', 'sent', { hash }),
      change('transfer', 'done', { hash }),
      expect.objectContaining({ event: 'sent', originTxHash: hash }),
    ]);
  });
});
