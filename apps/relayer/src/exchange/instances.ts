import type { Address } from 'viem';

/**
 * After this long without a poll, a process counts as ended. A process polls every ten seconds, or every twenty on a
 * slow connection.
 */
const FORGET_MS = 30_000;

interface Instance {
  readonly firstMs: number;
  lastMs: number;
  /** Open requests of the process. */
  open: number;
}

/** The processes that poll with the key of each attester. */
export class Instances {
  private readonly seen = new Map<Address, Map<string, Instance>>();

  /**
   * Records that a process polls.
   *
   * @param hungUp aborts when its request ends.
   * @returns the number of running processes with the key. A restarted process counts once, since the former one does
   * not poll.
   */
  note(attester: Address, instance: string, nowMs: number, hungUp: AbortSignal): number {
    const own = this.seen.get(attester) ?? new Map<string, Instance>();
    this.seen.set(attester, own);
    for (const [id, { lastMs }] of own) if (nowMs - lastMs > FORGET_MS) own.delete(id);
    const asking = own.get(instance) ?? { firstMs: nowMs, lastMs: nowMs, open: 0 };
    own.set(instance, asking);
    asking.lastMs = nowMs;
    asking.open += 1;
    hungUp.addEventListener('abort', () => (asking.open -= 1), { once: true });
    return count([...own.values()]);
  }

  /** The number of processes of each attester that have polled recently. */
  list(nowMs: number): ReadonlyMap<Address, number> {
    const counts = [...this.seen].map(([attester, own]) => {
      const recent = [...own.values()].filter(({ lastMs }) => nowMs - lastMs <= FORGET_MS);
      return [attester, recent.length === 0 ? 0 : count(recent)] as const;
    });
    return new Map(counts);
  }
}

/** Counts the newest process, and older ones that have an open request or have polled since the newest began. */
function count(instances: readonly Instance[]): number {
  const newest = Math.max(...instances.map(({ firstMs }) => firstMs));
  const isRunning = ({ firstMs, lastMs, open }: Instance) => firstMs === newest || lastMs > newest || open > 0;
  return Math.max(1, instances.filter(isRunning).length);
}
