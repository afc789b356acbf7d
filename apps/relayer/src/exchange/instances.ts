import type { Address } from 'viem';

/** A process that has not asked for this long has ended: it asks again after ten seconds, or twenty on a slow way. */
const FORGET_MS = 30_000;

interface Instance {
  readonly firstMs: number;
  lastMs: number;
  /** Its requests that wait for an answer. */
  open: number;
}

/** The processes that ask with the key of each attester. */
export class Instances {
  private readonly seen = new Map<Address, Map<string, Instance>>();

  /**
   * Notes that a process asks.
   *
   * @param hungUp ends its request.
   * @returns how many processes of the key run. One that began again counts once: the former one asks no more.
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

  /** The processes of each attester that has asked lately. */
  list(nowMs: number): ReadonlyMap<Address, number> {
    const counts = [...this.seen].map(([attester, own]) => {
      const recent = [...own.values()].filter(({ lastMs }) => nowMs - lastMs <= FORGET_MS);
      return [attester, recent.length === 0 ? 0 : count(recent)] as const;
    });
    return new Map(counts);
  }
}

/** The newest process, and those before it that wait for an answer or have asked since it began. */
function count(instances: readonly Instance[]): number {
  const newest = Math.max(...instances.map(({ firstMs }) => firstMs));
  const isRunning = ({ firstMs, lastMs, open }: Instance) => firstMs === newest || lastMs > newest || open > 0;
  return Math.max(1, instances.filter(isRunning).length);
}
