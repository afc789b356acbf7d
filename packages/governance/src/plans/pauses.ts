import type { AddressBook } from '@causeway/contracts/address-book';
import {
  getContracts,
  getSentinel,
  namedContracts,
  getViewParameters,
  type AdminCall,
  type CalledContract,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls/calls.js';

/** A direction of the bridge, or both. */
export type Direction = 'ethereum-to-partner' | 'partner-to-ethereum' | 'both';

/** What a contract pauses: beginnings there, and deliveries there. */
interface Flags {
  readonly beginnings: boolean;
  readonly deliveries: boolean;
}

/** The time by which the contracts store a pause without end. */
export const WITHOUT_END = 2n ** 32n - 1n;
/** Duration of a guardian's pause of beginnings. */
const GUARDIAN_PAUSE_SECONDS = 7n * 86_400n;

/**
 * Pauses a direction in both contracts.
 *
 * @param role `pauser` (also the guardian): the pause of beginnings ends after 7 days. `admin`: it has no end.
 */
export function pause(book: AddressBook, direction: Direction, role: 'pauser' | 'admin' = 'pauser'): AdminCall[] {
  return Object.values(getContracts(book)).map((contract) => {
    const { beginnings, deliveries } = toFlags(direction, contract.contract);
    const effect = pauseEffect(contract, {
      ...(beginnings && { beginnings: role === 'admin' ? 'without end' : 'seven days' }),
      ...(deliveries && { deliveries: true }),
    });
    const called = role === 'admin' ? contract : getSentinel(contract);
    return { ...called, functionName: 'pause', args: [beginnings, deliveries], role, effect };
  });
}

/**
 * Lifts the pause of a direction in the contracts for which a node was given, without changing the other direction. The
 * call names the number of the last pause, so it fails after a later pause. A contract in which the direction runs
 * needs no call.
 */
export async function unpause(book: AddressBook, direction: Direction, clients: Clients): Promise<PlannedCalls> {
  const calls: AdminCall[] = [];
  const changes: string[] = [];
  for (const { contract, client } of await namedContracts(book, clients)) {
    const [until, deliveriesPaused, count] = await client.readContract({
      ...getViewParameters(contract),
      functionName: 'pauses',
    });
    const { timestamp } = await client.getBlock();
    const asked = toFlags(direction, contract.contract);
    const beginnings = asked.beginnings && until > timestamp;
    const deliveries = asked.deliveries && deliveriesPaused;
    if (!beginnings && !deliveries) continue;
    changes.push(
      `${contract.contract} on ${contract.chain}: pause number ${count}`,
      ...(beginnings ? [`  beginnings: ${shownPause(until, timestamp)} -> resumed`] : []),
      ...(deliveries ? ['  deliveries: paused -> resumed'] : []),
    );
    const effect = pauseEffect(contract, {
      ...(beginnings && { beginnings: null }),
      ...(deliveries && { deliveries: false }),
    });
    calls.push({ ...contract, functionName: 'unpause', args: [count, beginnings, deliveries], role: 'admin', effect });
  }
  return { calls, changes };
}

/** The change of the pauses by a call. An omitted field does not change; null resumes beginnings. */
interface PauseChange {
  readonly beginnings?: 'seven days' | 'without end' | null;
  readonly deliveries?: boolean;
}

/** The effect of a call on the pauses of a contract. A pause never shortens another one. */
function pauseEffect(contract: Pick<CalledContract, 'bridge'>, change: PauseChange): Effect {
  return async (client) => {
    const [until, areDeliveriesPaused] = await client.readContract({
      ...getViewParameters(contract),
      functionName: 'pauses',
    });
    const { timestamp } = await client.getBlock();
    const shown = (end: bigint, deliveries: boolean) => ({
      beginnings: shownPause(end, timestamp),
      deliveries: deliveries ? 'paused' : 'running',
    });
    const { beginnings, deliveries = areDeliveriesPaused } = change;
    const asked = beginnings === 'without end' ? WITHOUT_END : timestamp + GUARDIAN_PAUSE_SECONDS;
    const paused = asked > until ? asked : until;
    const end = beginnings === undefined ? until : beginnings === null ? 0n : paused;
    return { before: shown(until, areDeliveriesPaused), after: shown(end, deliveries) };
  };
}

/** Formats until when beginnings are paused. */
export function shownPause(until: bigint, timestamp: bigint): string {
  if (until <= timestamp) return 'running';
  return until === WITHOUT_END ? 'paused without end' : `paused until ${new Date(Number(until) * 1_000).toISOString()}`;
}

/** A direction in terms of one contract: deposits and mints go to the partner chain, burns and releases to Ethereum. */
function toFlags(direction: Direction, contract: AdminCall['contract']): Flags {
  const toPartner = direction !== 'partner-to-ethereum';
  const toEthereum = direction !== 'ethereum-to-partner';
  return contract === 'BridgeLock'
    ? { beginnings: toPartner, deliveries: toEthereum }
    : { beginnings: toEthereum, deliveries: toPartner };
}
