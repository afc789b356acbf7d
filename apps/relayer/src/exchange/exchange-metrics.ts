import type { Side } from '@causeway/protocol';
import type { Address } from 'viem';
import type { RelayerMetrics } from '../metrics/relayer-metrics.js';
import type { AttesterSet, Verdicts } from './quorum.js';

/** The facts behind the figures of the exchange. */
interface ExchangeFacts {
  /** The sets of both contracts, without one that was never read. */
  readonly readSets: () => Promise<ReadonlyMap<Side, AttesterSet>>;
  /** How many processes of each key have asked lately. */
  readonly countInstances: () => ReadonlyMap<Address, number>;
}

/** Adds the figures of the exchange, which are read at each scrape. */
export function addExchangeFigures(metrics: RelayerMetrics, { readSets, countInstances }: ExchangeFacts): void {
  metrics.gauge(
    'attester_instances',
    'Processes that ask the exchange with the key of a member of a set: 0 when it is away, more than one is a fault',
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
  addBySet('attesters_needed', 'Signatures that a call needs; 0 for none', ({ threshold }) => threshold);
  addBySet('attesters_asking', 'Members of the attester set that ask the exchange', ({ members }) => {
    const counts = countInstances();
    return members.filter((member) => (counts.get(member) ?? 0) > 0).length;
  });
}

/**
 * The attesters that refuse what another accepts, of whom one more is known by a new verdict. Pure. A refusal counts
 * once, when it comes after an acceptance or when the first acceptance comes after it.
 */
export function findDissenters(verdicts: Verdicts, attester: Address): readonly Address[] {
  const list = (kind: 'SIGN' | 'REFUSE') => [...verdicts].filter(([, verdict]) => verdict.kind === kind);
  const accepting = list('SIGN').map(([one]) => one);
  const refusing = list('REFUSE').map(([one]) => one);
  if (accepting.length === 0) return [];
  if (refusing.includes(attester)) return [attester];
  return accepting.length === 1 && accepting.includes(attester) ? refusing : [];
}
