import type { Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import { ViolationError } from '../outcome.ts';
import type { Accepted, Simulation } from '../environment/simulation.ts';
import { isDust, getRefundId, type Arrival } from './arrivals.ts';
import { readReleases } from './departures.ts';
import { isTooSmall } from './refunds.ts';

/** How far the clocks of the database and of the chain can differ. */
const TOLERANCE_MS = 60_000;

/**
 * Each intent that its sender paid in time is delivered once with its terms, whatever others name for it. No other
 * intent is delivered. Every arrival that is not refunded has paid an intent.
 *
 * @throws ViolationError
 */
export function checkIntents(simulation: Simulation, arrivals: readonly Arrival[], refunded: ReadonlySet<Hex>): void {
  const released = checkReleases(simulation);
  const owed = arrivals.filter((arrival) => arrival.isVisible && !isDust(arrival));
  const kept = owed.filter((arrival) => !refunded.has(getRefundId(arrival)));
  const toKey = (sender: string, { amount }: { readonly amount: bigint }) => `${sender} ${amount}`;
  const groups = Map.groupBy(simulation.intents, (intent) => toKey(intent.sender, intent));
  for (const [key, intents] of groups) {
    const isTheirs = (arrival: Arrival) => isXcnOfPartner(arrival) && toKey(arrival.payer, arrival) === key;
    const delivered = intents.filter(({ id }) => released.has(id));
    const paid = kept.filter(isTheirs);
    if (paid.length !== delivered.length)
      throw new ViolationError(
        'each payment is delivered or refunded',
        `${paid.length} payments of ${key} are kept, ${delivered.length} intents delivered`,
      );
    // An accepted reorg of final blocks can move a payment to an earlier block. Its binding stays.
    const unpaid = simulation.hasFinalReorg
      ? undefined
      : delivered.find((intent) => !paid.some((arrival) => mayPay(arrival, intent)));
    if (unpaid !== undefined) throw new ViolationError('an intent is paid in time', unpaid.id);
    const unrevoked = intents.filter(({ sender }) => !simulation.revokers.has(sender));
    const least = certainPairs(unrevoked, owed.filter(isTheirs));
    if (delivered.length < least)
      throw new ViolationError(
        'every operation is paid',
        `${least} intents of ${key}, of which ${delivered.length} are`,
      );
  }
  for (const arrival of kept) {
    const { payer, side, asset, amount, txHash } = arrival;
    const hasPaid = isXcnOfPartner(arrival) && groups.has(toKey(payer, arrival));
    if (!hasPaid && !isTooSmall(simulation, { chainId: BOOK[side].chainId, asset, amount }))
      throw new ViolationError('what pays no intent is refunded', `${amount} ${asset} in ${txHash}`);
  }
}

/** Returns the delivered intents, after checking that each was delivered once with its terms. */
function checkReleases(simulation: Simulation): ReadonlySet<Hex> {
  const byId = new Map(simulation.intents.map((intent) => [intent.id, intent]));
  const released = new Set<Hex>();
  for (const { id, token, recipient, amount } of readReleases(simulation)) {
    const intent = byId.get(id);
    if (intent === undefined) continue;
    if (released.has(id)) throw new ViolationError('nothing is paid twice', `intent ${id}`);
    released.add(id);
    const { tokens } = BOOK.ethereum;
    if (token !== tokens.XCN || recipient !== intent.recipient || amount !== intent.outputAmount)
      throw new ViolationError('a payment has the terms of its operation', `intent ${id}: ${amount} to ${recipient}`);
  }
  return released;
}

function isXcnOfPartner({ side, asset }: Arrival): boolean {
  return side === 'partner' && asset === 'XCN';
}

/** Whether the time of a payment is right. Since clocks differ, the start has a tolerance. */
function mayPay({ block }: Arrival, { askedAtMs, expiresAtMs }: Accepted): boolean {
  const minedAtMs = block.timestamp * 1_000;
  return minedAtMs > askedAtMs - TOLERANCE_MS - 1_000 && minedAtMs <= expiresAtMs;
}

/** The number of equal intents with a payment after their acceptance and in time. */
function certainPairs(intents: readonly Accepted[], payments: readonly Arrival[]): number {
  const free = new Set(payments);
  return intents.filter(({ acceptedAtMs, expiresAtMs }) => {
    if (acceptedAtMs === null) return false;
    const isCertain = ({ block: { timestamp } }: Arrival) =>
      timestamp * 1_000 > acceptedAtMs && timestamp * 1_000 <= expiresAtMs;
    const payment = [...free].find(isCertain);
    return payment !== undefined && free.delete(payment);
  }).length;
}
