import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { ClientBudget } from './client-budget.js';
import { ExemptAddresses } from './client-ip.js';
import { RateLimiter } from './rate-limiter.js';

const create = (callsPerSecond: number, callsPerMinute: number) => {
  const onRefused = jest.fn();
  const options = { redis: null, onRefused, onRedisFailed: () => undefined };
  return { limiter: new RateLimiter({ callsPerSecond, callsPerMinute }, options), onRefused };
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

  it('has no limit and no budget where both are off, and for exempt clients', async () => {
    expect(await create(0, 0).limiter.take('192.0.2.1', 1e6)).toMatchObject({ admitted: 1e6, budget: null });
    const budget = new ClientBudget({
      rateLimiter: create(1, 1).limiter,
      exempt: new ExemptAddresses(['192.0.2.0/24']),
    });
    const verdict = await budget.takeCalls('192.0.2.1', 1e6);
    expect(verdict).toMatchObject({ admitted: 1e6, budget: null });
    expect(budget.rateHeaders(verdict)).toEqual({});
    expect(await budget.takeCalls('198.51.100.1', 2)).toMatchObject({ admitted: 1 });
  });
});
