import { FenceLostError, type Store } from '@causeway/store';
import type { MemoryDatabase } from './memory-database.ts';
import type { Step } from '../step.ts';

/** The methods that are simulated: all of them. */
type Lease = Pick<Store['lease'], 'acquire' | 'assertHeld' | 'isHeld' | 'release'>;

/**
 * The lease as one process sees it.
 *
 * @param monotonicMs the clock of the process. It measures for how long the lease surely holds.
 */
export function leaseRepository(database: MemoryDatabase, step: Step, monotonicMs: () => number): Lease {
  const { leases } = database;
  const held = new Map<string, { readonly token: bigint; readonly untilMs: number }>();
  const inStep = <T>(method: string, work: () => T) => step(`lease.${method}`, () => database.transaction(work));

  /** Renews the lease of its holder, also an expired one; takes it over from another holder when it is expired. */
  const renewOrTake = (name: string, holder: string, ttlMs: number): bigint | null => {
    const now = database.now();
    const row = leases.get(name) ?? { holder: '', token: 0n, expiresAtMs: -Infinity };
    const isRenewed = row.holder === holder;
    if (!isRenewed && row.expiresAtMs >= now) return null;
    const token = isRenewed ? row.token : row.token + 1n;
    leases.put(name, { holder, token, expiresAtMs: now + ttlMs });
    return token;
  };
  return {
    acquire: async (name, holder, ttlMs) => {
      const askedAtMs = monotonicMs();
      const token = await inStep('acquire', () => renewOrTake(name, holder, ttlMs));
      if (token === null) {
        held.delete(name);
        return null;
      }
      held.set(name, { token, untilMs: askedAtMs + ttlMs });
      return { name, token };
    },
    assertHeld: (fence) => {
      const own = held.get(fence.name);
      if (own?.token !== fence.token || monotonicMs() >= own.untilMs) throw new FenceLostError(fence);
    },
    isHeld: (name) => inStep('isHeld', () => (leases.get(name)?.expiresAtMs ?? -Infinity) > database.now()),
    release: async (fence) => {
      held.delete(fence.name);
      await inStep('release', () => {
        const row = leases.get(fence.name);
        if (row?.token !== fence.token) return;
        leases.put(fence.name, { ...row, expiresAtMs: -Infinity });
        database.wake('lease');
      });
    },
  };
}
