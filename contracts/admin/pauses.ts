import type { AddressBook } from '../deploy/address-book.js';
import { contractsOf, namedContracts, readsOf, type AdminCall, type Clients, type PlannedCalls } from './calls.js';

/** A direction of the bridge, or both. */
export type Direction = 'ethereum-to-partner' | 'partner-to-ethereum' | 'both';

/** What a contract stops: operations that begin there, and deliveries there. */
interface Flags {
  readonly beginnings: boolean;
  readonly deliveries: boolean;
}

/** The time that the contracts store for a pause without end. */
const WITHOUT_END = 2n ** 32n - 1n;

/**
 * Pauses a direction in both contracts. A direction that is already paused stays paused.
 *
 * @param role the guardian, whose pause of beginnings ends after 7 days; or the admin, whose pause has no end.
 */
export function pause(book: AddressBook, direction: Direction, role: 'guardian' | 'admin' = 'guardian'): AdminCall[] {
  return Object.values(contractsOf(book)).map((contract) => {
    const { beginnings, deliveries } = flagsOf(direction, contract.contract);
    return { ...contract, functionName: 'pause', args: [beginnings, deliveries], role };
  });
}

/**
 * Lifts the pause of a direction in the contracts whose nodes are named, and leaves the other direction unchanged. The
 * call names the number of the last pause, so it fails when somebody paused since. A contract that runs the direction
 * already needs no call.
 */
export async function unpause(book: AddressBook, direction: Direction, clients: Clients): Promise<PlannedCalls> {
  const calls: AdminCall[] = [];
  const changes: string[] = [];
  for (const { contract, client } of await namedContracts(book, clients)) {
    const [until, deliveriesPaused, count] = await client.readContract({
      ...readsOf(contract),
      functionName: 'pauses',
    });
    const { timestamp } = await client.getBlock();
    const asked = flagsOf(direction, contract.contract);
    const beginnings = asked.beginnings && until > timestamp;
    const deliveries = asked.deliveries && deliveriesPaused;
    if (!beginnings && !deliveries) continue;
    const end = until === WITHOUT_END ? 'without end' : `until ${new Date(Number(until) * 1_000).toISOString()}`;
    changes.push(
      `${contract.contract} on ${contract.chain}: pause number ${count}`,
      ...(beginnings ? [`  beginnings: paused ${end} -> resumed`] : []),
      ...(deliveries ? ['  deliveries: paused -> resumed'] : []),
    );
    calls.push({ ...contract, functionName: 'unpause', args: [count, beginnings, deliveries], role: 'admin' });
  }
  return { calls, changes };
}

/**
 * A direction in terms of one contract: deposits and mints lead to the partner chain, burns and releases to Ethereum.
 */
function flagsOf(direction: Direction, contract: AdminCall['contract']): Flags {
  const toPartner = direction !== 'partner-to-ethereum';
  const toEthereum = direction !== 'ethereum-to-partner';
  return contract === 'BridgeLock'
    ? { beginnings: toPartner, deliveries: toEthereum }
    : { beginnings: toEthereum, deliveries: toPartner };
}
