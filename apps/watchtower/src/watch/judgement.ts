import { THEFTS, type Finding, type Heads, type Ledger, type Side } from '@causeway/verifier';
import { isAnswered, isLifted, listPauseSets, OTHER, type ReadTime } from './pauses.js';
import type { Shortage } from './supply-check.js';

export const SIDES = ['ethereum', 'partner'] as const;

/** The facts of both chains on which a verdict rests. */
export interface Evidence {
  /** Read up to `heads`. */
  readonly ledger: Pick<Ledger, 'findings' | 'unexplained' | 'trust'>;
  readonly heads: Heads;
  /** The newest blocks whose deliveries are judged: each was read before the head of the other chain. */
  readonly until: Heads;
  readonly shortages: readonly Shortage[];
  readonly readTime: ReadTime;
}

/** The verdict on both chains. */
export interface Verdict {
  /** All contradictions. */
  readonly findings: readonly Finding[];
  /** The contradictions for which the bridge is paused, also those that the admin has answered. */
  readonly thefts: readonly Finding[];
  /** Deliveries whose origin chain is not read far enough yet, or whose transfer is still searched. */
  readonly waiting: readonly Finding[];
  /** Where a pause is wanted, because the admin has not lifted one since the newest theft. */
  readonly wanted: Readonly<Record<Side, boolean>>;
}

/**
 * Judges what was read. A delivery without an origin is a theft only once the origin's chain is known up to the
 * delivery's time.
 *
 * @param lagSeconds how many seconds of confirmations an operation that begins on a chain has before its delivery.
 *   Nodes of that chain that lag by less know the operation.
 * @throws NoQuorumError
 */
export async function judge(evidence: Evidence, lagSeconds: Readonly<Record<Side, bigint>>): Promise<Verdict> {
  const { ledger, heads, until, shortages, readTime } = evidence;
  const isTheft = ({ code }: Finding) => THEFTS.includes(code);
  const deliveries = ledger.findings.filter(isTheft);
  const waiting: Finding[] = [];
  for (const side of SIDES) {
    const known = heads[OTHER[side]].timestamp + lagSeconds[OTHER[side]];
    const unexplained = ledger.unexplained.filter((one) => one.side === side).toSorted(newestFirst);
    // Once the origin of one would be known, those of all older ones would be.
    const first = await findIndex(
      unexplained,
      async (one) => getBlock(one) <= until[side].number && (await readTime(side, getBlock(one))) <= known,
    );
    waiting.push(...unexplained.slice(0, first));
    deliveries.push(...unexplained.slice(first));
  }
  const newest = await findNewest(deliveries, readTime);
  // A shortage can follow from a theft, and shows later: after the pause, but before the admin lifts it.
  const short = findLatest(shortages.map(({ since }) => since));
  const isWanted = async (side: Side) => {
    const list = async (since: bigint) => listPauseSets(ledger, side, since, readTime);
    return (
      (newest !== null && !isAnswered(await list(newest), newest)) ||
      (short !== null && !isLifted(await list(short), short))
    );
  };
  const thefts = [...deliveries, ...shortages.map(({ finding }) => finding)];
  return {
    findings: [...ledger.findings.filter((one) => !isTheft(one)), ...thefts],
    thefts,
    waiting,
    wanted: { ethereum: await isWanted('ethereum'), partner: await isWanted('partner') },
  };
}

/** The time of the newest stolen delivery; null without one. */
async function findNewest(deliveries: readonly Finding[], readTime: ReadTime): Promise<bigint | null> {
  const times: bigint[] = [];
  for (const side of SIDES) {
    const [newest] = deliveries.filter((one) => one.side === side).toSorted(newestFirst);
    if (newest !== undefined) times.push(await readTime(side, getBlock(newest)));
  }
  return findLatest(times);
}

function findLatest(times: readonly bigint[]): bigint | null {
  return times.reduce<bigint | null>((last, time) => (last === null || time > last ? time : last), null);
}

/** The index of the first item that a test accepts; the length if none. */
async function findIndex<T>(items: readonly T[], accepts: (item: T) => Promise<boolean>): Promise<number> {
  for (const [index, item] of items.entries()) if (await accepts(item)) return index;
  return items.length;
}

function newestFirst(a: Finding, b: Finding): number {
  return Number(getBlock(b) - getBlock(a));
}

function getBlock({ blockNumber }: Finding): bigint {
  return blockNumber ?? 0n;
}
