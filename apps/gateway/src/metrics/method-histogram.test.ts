import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Histogram, Registry } from 'prom-client';
import { MethodHistogram } from './method-histogram.js';

const CONFIGURATION = { name: 'call_seconds', help: 'How long calls took', buckets: [0.001, 0.01, 0.1, 1] };
const observation = fc.tuple(
  fc.constantFrom('eth_call', 'eth_blockNumber', 'other'),
  fc.oneof(fc.constantFrom(0, ...CONFIGURATION.buckets), fc.double({ min: 0, max: 2, noNaN: true })),
);

describe('MethodHistogram', () => {
  it("shows what prom-client's own histogram shows", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(observation), async (observations) => {
        const theirs = new Registry();
        const ours = new Registry();
        const histogram = new Histogram({ ...CONFIGURATION, labelNames: ['method'], registers: [theirs] });
        const plain = new MethodHistogram({ ...CONFIGURATION, registers: [ours] });
        for (const [method, value] of observations) {
          histogram.observe({ method }, value);
          plain.record(method, value);
        }
        expect(await ours.metrics()).toBe(await theirs.metrics());
      }),
    );
  });
});
