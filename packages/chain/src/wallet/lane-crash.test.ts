import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { aRequest, kinds, sendAll, setUp } from '../../test/scripted-lane.js';

describe('a crash between any two steps', () => {
  /** Ends the process at the n-th call of a port. */
  class Crash extends Error {}

  function crashing<T extends object>(port: T, budget: { left: number }): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]) => {
          if (budget.left-- <= 0) throw new Crash();
          return (value as (...given: unknown[]) => unknown).apply(target, args);
        };
        return name === 'assertHeld' ? call : async (...args: unknown[]) => call(...args);
      },
    });
  }

  it('loses no call, mines no call twice, and leaves no gap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(25), { maxLength: 4 }), fc.nat(2), async (crashes, unpaid) => {
        const { chain, journal, clock, start } = setUp();
        const names = ['a', 'b', 'c'];
        const wanted = () => names.filter((name) => !journal.rows.some(({ subject }) => subject === name));
        const turn = async (budget: { left: number }) => {
          const lane = start();
          const port = crashing(journal, budget);
          await lane.submit(
            port,
            wanted().map((name, index) => aRequest(name, index === unpaid ? 10n : 0n)),
          );
          await lane.follow(port, sendAll);
        };
        for (const left of crashes) {
          await turn({ left }).catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error;
          });
          clock.ms += 5_000;
        }
        for (let step = 0; step < 6; step++) {
          clock.ms += 31_000;
          await turn({ left: Infinity });
          chain.mine(2n);
        }
        expect(journal.rows.map(({ subject }) => subject).toSorted()).toEqual(names);
        expect(kinds(journal)).toEqual(['succeeded', 'succeeded', 'succeeded']);
        expect(chain.mined).toHaveLength(3);
        expect(new Set(chain.sent).size).toBe(3);
      }),
      { numRuns: 60 },
    );
  });
});
