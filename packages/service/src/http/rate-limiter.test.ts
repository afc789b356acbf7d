import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { RateLimiter } from './rate-limiter.js';

const create = (callsPerSecond: number, callsPerMinute: number) => {
  const onRefused = jest.fn();
  const options = { redis: null, onRefused, onRedisFailed: () => undefined, mostClients: 3 };
  const windows = [
    { calls: callsPerSecond, seconds: 1 },
    { calls: callsPerMinute, seconds: 60 },
  ];
  return { limiter: new RateLimiter({ windows, unit: 'calls', keyPrefix: 'test' }, options), onRefused };
};

describe('RateLimiter', () => {
  it('admits exactly what the narrowest limit allows, however the calls are put into messages', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 20 }),
        async (perSecond, perMinute, messages) => {
          const { limiter, onRefused } = create(perSecond, perMinute);
          let admitted = 0;
          for (const calls of messages) {
            const verdict = await limiter.take('192.0.2.1', calls);
            expect(verdict.retryAfterMs > 0).toBe(verdict.admitted < calls);
            expect(verdict.refusal === '').toBe(verdict.admitted === calls);
            admitted += verdict.admitted;
          }
          const asked = messages.reduce((sum, calls) => sum + calls, 0);
          expect(admitted).toBe(Math.min(asked, perSecond, perMinute));
          const refused = onRefused.mock.calls.reduce((sum, [calls]) => sum + Number(calls), 0);
          expect(refused).toBe(asked - admitted);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('counts every client separately', async () => {
    const { limiter } = create(1, 0);
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({ admitted: 1 });
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({ admitted: 0 });
    expect(await limiter.take('192.0.2.2', 1)).toMatchObject({ admitted: 1 });
  });

  it('shows the rest of the window with the fewest calls left', async () => {
    const { limiter } = create(100, 150);
    expect(await limiter.take('192.0.2.1', 80)).toMatchObject({ budget: { limit: 100, remaining: 20 } });
    const headers = limiter.headers(await limiter.take('192.0.2.2', 1));
    expect(headers).toMatchObject({ 'ratelimit-policy': '100;w=1, 150;w=60', 'ratelimit-remaining': '99' });
    const minute = create(0, 150).limiter;
    expect(await minute.take('192.0.2.1', 80)).toMatchObject({ budget: { limit: 150, remaining: 70 } });
  });

  it('has no limit and no budget where both are off', async () => {
    const { limiter } = create(0, 0);
    const verdict = await limiter.take('192.0.2.1', 1e6);
    expect(verdict).toMatchObject({ admitted: 1e6, budget: null });
    expect(limiter.headers(verdict)).toEqual({});
  });

  it('admits another call for each one that turned out not to count', async () => {
    const { limiter } = create(0, 2);
    await limiter.take('192.0.2.1', 2);
    await limiter.uncount('192.0.2.1');
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({ admitted: 1 });
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({
      admitted: 0,
      refusal: expect.stringMatching(/^2 calls in 60 s; try again in/),
    });
  });

  it('keeps its memory however many addresses call, and the count of the recent ones', async () => {
    const { limiter } = create(0, 2);
    await limiter.take('192.0.2.1', 2);
    for (let client = 0; client < 10; client += 1) {
      await limiter.take(String(client), 1);
      await limiter.take('192.0.2.1', 1);
    }
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({ admitted: 0 });
    // The first ones are forgotten.
    expect(await limiter.take('0', 2)).toMatchObject({ admitted: 2 });
  });
});
