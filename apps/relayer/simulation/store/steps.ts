import type { Store } from '@causeway/store';
import type { Step } from '../step.ts';
import type { MemoryDatabase } from './memory-database.ts';

type Synchronous<T> = {
  readonly [K in keyof T]: T[K] extends (...parameters: infer P) => Promise<infer R> ? (...parameters: P) => R : never;
};

/** The simulated methods of a repository: each one is a whole transaction. */
export type Simulated<K extends keyof Store> = Partial<Synchronous<Store[K]>>;

/** Makes each method of a repository one step, and so one committed transaction. A method that is missing rejects. */
export function inSteps(name: string, methods: object, database: MemoryDatabase, step: Step): object {
  const known: Record<string | symbol, unknown> = {};
  for (const [method, run] of Object.entries(methods) as [string, (...parameters: unknown[]) => unknown][]) {
    const label = `${name}.${method}`;
    known[method] = (...parameters: unknown[]) =>
      step(label, () =>
        database.transaction(() => {
          const result = run(...parameters);
          if (name !== 'lease') database.noteWriter(label, parameters[0]);
          return result;
        }),
      );
  }
  return new Proxy(known, {
    get: (target, method) =>
      // Whether an object is a promise is asked by `then`.
      method in target || typeof method === 'symbol' || method === 'then'
        ? target[method]
        : async () => {
            throw new Error(`not simulated: ${name}.${method}`);
          },
  });
}
