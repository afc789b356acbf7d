import { describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createRateLimiter } from './create-rate-limiter.js';
import { ExemptAddresses } from './exempt-addresses.js';

const create = (callsPerSecond: number, callsPerMinute: number, exemptAddresses: readonly string[] = []) => {
  const onRefused = jest.fn();
  const parts = { exempt: new ExemptAddresses(exemptAddresses), redis: null, onRefused, onAlone: () => undefined };
  return { limiter: createRateLimiter({ callsPerSecond, callsPerMinute, exemptAddresses }, parts), onRefused };
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

  it('counts every client by itself', async () => {
    const { limiter } = create(1, 0);
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({ admitted: 1 });
    expect(await limiter.take('192.0.2.1', 1)).toMatchObject({ admitted: 0 });
    expect(await limiter.take('192.0.2.2', 1)).toMatchObject({ admitted: 1 });
  });

  it('shows what is left of the window that is nearest to its end', async () => {
    const { limiter } = create(100, 150);
    expect(await limiter.take('192.0.2.1', 80)).toMatchObject({ budget: { limit: 100, remaining: 20 } });
    expect(limiter.policy).toBe('100;w=1, 150;w=60');
    const minute = create(0, 150).limiter;
    expect(await minute.take('192.0.2.1', 80)).toMatchObject({ budget: { limit: 150, remaining: 70 } });
  });

  it('has no limit and no budget where both are off, and for exempt clients', async () => {
    expect(await create(0, 0).limiter.take('192.0.2.1', 1e6)).toMatchObject({ admitted: 1e6, budget: null });
    const { limiter } = create(1, 1, ['192.0.2.0/24']);
    expect(await limiter.take('192.0.2.1', 1e6)).toMatchObject({ admitted: 1e6, budget: null });
  });
});
