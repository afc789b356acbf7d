import type { Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { RelayerMetrics } from '../metrics/relayer-metrics.js';
import type { AttesterSet, Verdicts } from './quorum.js';

interface ExchangeFacts {
  /** The sets of both contracts, without one that was never read. */
  readonly readSets: () => Promise<ReadonlyMap<Side, AttesterSet>>;
  /** How many processes of each key have polled recently. */
  readonly countInstances: () => ReadonlyMap<Address, number>;
}

/** Adds the metrics of the exchange, which are read at each scrape. */
export function addExchangeFigures(metrics: RelayerMetrics, { readSets, countInstances }: ExchangeFacts): void {
  metrics.gauge(
    'attester_instances',
    'Processes that poll the exchange with the key of an attester: 0 means unavailable, more than 1 is a fault',
    ['attester'],
    async (gauge) => {
      const members = [...(await readSets()).values()].flatMap((set) => set.members);
      gauge.reset();
      const counts = new Map([...members.map((member) => [member, 0] as const), ...countInstances()]);
      for (const [attester, count] of counts) gauge.set({ attester }, count);
    },
  );
  const addBySet = (name: string, help: string, count: (set: AttesterSet) => number) =>
    metrics.gauge(name, help, ['chain'], async (gauge) => {
      for (const [chain, set] of await readSets()) gauge.set({ chain }, count(set));
    });
  addBySet('attesters', 'Members of the attester set', ({ members }) => members.length);
  addBySet('attesters_needed', 'Signatures that a call needs; 0 if none', ({ threshold }) => threshold);
  addBySet('attesters_asking', 'Members of the attester set that poll the exchange', ({ members }) => {
    const counts = countInstances();
    return members.filter((member) => (counts.get(member) ?? 0) > 0).length;
  });
}

/**
 * Returns the attesters whose refusal of an item newly conflicts with another's acceptance, after a verdict. Pure. A
 * refusal counts once: when it follows an acceptance, or when the first acceptance follows it.
 */
export function findDissenters(verdicts: Verdicts, attester: Address): readonly Address[] {
  const list = (kind: 'SIGN' | 'REFUSE') => [...verdicts].filter(([, verdict]) => verdict.kind === kind);
  const accepting = list('SIGN').map(([one]) => one);
  const refusing = list('REFUSE').map(([one]) => one);
  if (accepting.length === 0) return [];
  if (refusing.includes(attester)) return [attester];
  return accepting.length === 1 && accepting.includes(attester) ? refusing : [];
}
