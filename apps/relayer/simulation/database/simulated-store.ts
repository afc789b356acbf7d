import { LeaseRepository, type Store, type WakeUp } from '@causeway/store';
import type { Step } from '../step.ts';
import { listenInSteps } from './listen.ts';
import type { SimulatedDatabase } from './simulated-database.ts';

type Method = (...parameters: unknown[]) => Promise<unknown>;

/** The store of one process on the shared database. Each method call is one step. */
export function simulatedStore(database: SimulatedDatabase, step: Step): Store {
  const { store, leases } = database.server;
  const inSteps = (name: string, repository: object) =>
    new Proxy(repository, {
      get: (target, method) => {
        const found: unknown = Reflect.get(target, method);
        if (typeof found !== 'function') return found;
        const run = (found as Method).bind(target);
        // Reads only the memory of the process.
        if (method === 'assertHeld') return run;
        const label = `${name}.${String(method)}`;
        return (...parameters: unknown[]) =>
          step(label, async () => database.call(label, parameters, async () => run(...parameters)));
      },
    });
  const all: Readonly<Record<string, unknown>> = { ...store, lease: new LeaseRepository(leases) };
  const repositories = Object.entries(all).map(([name, part]) => [
    name,
    typeof part === 'object' && part !== null ? inSteps(name, part) : part,
  ]);
  return {
    ...Object.fromEntries(repositories),
    listen: (onWakeUp: (wakeUp: WakeUp) => void, onError: (error: Error) => void) =>
      listenInSteps(database, step, onWakeUp, onError),
    ping: () => step('ping', () => 0),
    assertCompatible: async () => undefined,
    close: async () => undefined,
  } as Store;
}
