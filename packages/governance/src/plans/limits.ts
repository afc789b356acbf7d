import type { PublicClient } from 'viem';
import { formatWithUnit, formatDuration } from '../amounts.js';
import type { Asset } from '@causeway/contracts/assets';
import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  formatChange,
  clientOn,
  contractOn,
  otherChain,
  PlanRefusedError,
  planChange,
  getViewParameters,
  type AdminCall,
  type Clients,
  type PlannedCalls,
  type Values,
} from '../calls/calls.js';
import { isDelivered, readOperations, type Operation } from './deliveries.js';

/** An asset in the bridge contract of a chain. */
interface Listing {
  readonly chain: ChainName;
  readonly asset: Asset;
}

/** The limits of an asset, or their ceiling. Amounts are in atomic units. */
export interface Limits {
  readonly capacity: bigint;
  /** Seconds in which a used-up capacity refills; for a ceiling, the shortest allowed window. */
  readonly windowSeconds: number;
  readonly maxAmount: bigint;
}

/** The call that sets how fast an asset may leave the bridge contract of a chain. */
export function outflowLimitCall(
  book: AddressBook,
  { chain, asset }: Listing,
  { capacity, windowSeconds }: Omit<Limits, 'maxAmount'>,
): AdminCall {
  const shown = (limit: Omit<Limits, 'maxAmount'>) => ({
    capacity: formatWithUnit(asset, limit.capacity),
    window: formatDuration(limit.windowSeconds),
  });
  return {
    ...contractOn(book, chain),
    functionName: 'setOutflowLimit',
    args: [getToken(book, chain, asset), capacity, BigInt(windowSeconds)],
    role: 'policyManager',
    effect: async (client) => ({
      before: shown((await readLimits(client, book, { chain, asset })).limits),
      after: shown({ capacity, windowSeconds }),
    }),
  };
}

/**
 * Sets how fast an asset may leave the bridge contract of a chain.
 *
 * @throws PlanRefusedError when an operation from the other chain, in flight or of the largest allowed amount, would
 * never fit.
 */
export async function setOutflowLimit(
  book: AddressBook,
  listing: Listing,
  limit: Omit<Limits, 'maxAmount'>,
  clients: Clients,
): Promise<PlannedCalls> {
  const { chain, asset } = listing;
  const call = outflowLimitCall(book, listing, limit);
  const client = await clientOn(clients, call);
  const { limits } = await readLimits(client, book, listing);
  const capacities = { before: limits.capacity, after: limit.capacity };
  const notes = await expectRoomForOthers(book, listing, capacities, clients);
  const planned = await planChange(client, call, `outflow limit of ${asset} in ${call.contract} on ${chain}`);
  return { ...planned, changes: [...planned.changes, ...notes] };
}

/** The call that sets the largest operation of an asset that may begin on a chain. */
export function maxAmountCall(book: AddressBook, { chain, asset }: Listing, maxAmount: bigint): AdminCall {
  return {
    ...contractOn(book, chain),
    functionName: 'setMaxAmount',
    args: [getToken(book, chain, asset), maxAmount],
    role: 'policyManager',
    effect: async (client) => {
      const { limits } = await readLimits(client, book, { chain, asset });
      return {
        before: { 'maximum amount': formatWithUnit(asset, limits.maxAmount) },
        after: { 'maximum amount': formatWithUnit(asset, maxAmount) },
      };
    },
  };
}

/**
 * Sets the largest operation of an asset that may begin on a chain.
 *
 * @throws PlanRefusedError when the other chain's capacity is lower: such an operation could never be delivered there.
 */
export async function setMaxAmount(
  book: AddressBook,
  listing: Listing,
  maxAmount: bigint,
  clients: Clients,
): Promise<PlannedCalls> {
  const { chain, asset } = listing;
  const call = maxAmountCall(book, listing, maxAmount);
  const client = await clientOn(clients, call);
  const other = otherChain(chain);
  const notes = [];
  if (clients[other] === undefined) notes.push(unreadNote(other));
  else {
    const { limits: there } = await readLimitsOn(clients, book, { chain: other, asset });
    if (maxAmount > there.capacity) {
      const [asked, room] = [formatWithUnit(asset, maxAmount), formatWithUnit(asset, there.capacity)];
      throw new PlanRefusedError(
        `A maximum of ${asked} on ${chain} is above the capacity of ${room} on ${other}, where such an operation ` +
          `could never be delivered: choose at most ${room}, or first raise the capacity by ` +
          `causeway-admin set-limit --asset ${asset} --chain ${other} --capacity "${asked}" ` +
          `--window ${formatDuration(there.windowSeconds)}`,
      );
    }
  }
  const title = `largest operation of ${asset} that begins in ${call.contract} on ${chain}`;
  const planned = await planChange(client, call, title);
  return { ...planned, changes: [...planned.changes, ...notes] };
}

/**
 * Bounds the limits of an asset on a chain. Limits outside the new ceiling move to it.
 *
 * @throws PlanRefusedError when the capacity would fall below what the other chain may send.
 */
export async function setLimitCeiling(
  book: AddressBook,
  listing: Listing,
  ceiling: Limits,
  clients: Clients,
): Promise<PlannedCalls> {
  const { chain, asset } = listing;
  const contract = contractOn(book, chain);
  const { limits, ceiling: current } = await readLimitsOn(clients, book, listing);
  const moved = moveTo(ceiling, limits);
  // A ceiling that does not change the capacity cannot strand an operation.
  const falls = moved.capacity < limits.capacity;
  const change = { before: limits.capacity, after: moved.capacity };
  const notes = falls ? await expectRoomForOthers(book, listing, change, clients) : [];
  const { capacity, windowSeconds, maxAmount } = ceiling;
  const call: AdminCall = {
    ...contract,
    functionName: 'setLimitCeiling',
    args: [getToken(book, chain, asset), { capacity, window: BigInt(windowSeconds), maxAmount }],
    role: 'admin',
    effect: async (client) => {
      const before = await readLimits(client, book, listing);
      const shown = (bound: Limits, limit: Limits) => ({
        'highest capacity': formatWithUnit(asset, bound.capacity),
        'shortest window': formatDuration(bound.windowSeconds),
        'highest maximum amount': formatWithUnit(asset, bound.maxAmount),
        ...shownLimits(asset, limit, 'window'),
      });
      return { before: shown(before.ceiling, before.limits), after: shown(ceiling, moveTo(ceiling, before.limits)) };
    },
  };
  return {
    calls: isSameLimits(current, ceiling) ? [] : [call],
    changes: [
      `limit ceiling of ${asset} in ${contract.contract} on ${chain}`,
      ...formatChanges(asset, current, ceiling, 'shortest window'),
      ...(isSameLimits(limits, moved)
        ? []
        : ['moves the limits too', ...formatChanges(asset, limits, moved, 'window')]),
      ...notes,
    ],
  };
}

/** The limits after moving them to a ceiling. */
function moveTo(ceiling: Limits, limits: Limits): Limits {
  const least = (one: bigint, other: bigint) => (one < other ? one : other);
  return {
    capacity: least(limits.capacity, ceiling.capacity),
    windowSeconds: Math.max(limits.windowSeconds, ceiling.windowSeconds),
    maxAmount: least(limits.maxAmount, ceiling.maxAmount),
  };
}

/**
 * Compares a new capacity with the operations of the other chain: with its maximum and, if the capacity falls, with
 * undelivered operations that began there.
 *
 * @returns a line when no node of the other chain was given.
 * @throws PlanRefusedError that says what to do first.
 */
async function expectRoomForOthers(
  book: AddressBook,
  { chain, asset }: Listing,
  { before, after }: { readonly before: bigint; readonly after: bigint },
  clients: Clients,
): Promise<readonly string[]> {
  const other = otherChain(chain);
  if (clients[other] === undefined) return [unreadNote(other)];
  const { limits: there } = await readLimitsOn(clients, book, { chain: other, asset });
  const capacity = formatWithUnit(asset, after);
  if (after < there.maxAmount) {
    throw new PlanRefusedError(
      `A capacity of ${capacity} on ${chain} is below the maximum amount of ${formatWithUnit(asset, there.maxAmount)} ` +
        `on ${other}: such an operation could never be delivered. First lower the maximum by ` +
        `causeway-admin set-max-amount --asset ${asset} --chain ${other} --amount "${capacity}"`,
    );
  }
  if (after >= before) return [];
  const larger = await undeliveredAbove(book, { chain: other, asset }, after, clients);
  const [first] = larger;
  if (first === undefined) return [];
  throw new PlanRefusedError(
    `A capacity of ${capacity} on ${chain} is below ${larger.length} of the operations in flight: number ` +
      `${first.number} of ${other} has ${formatWithUnit(asset, first.amount + first.fee)}. Wait until they are delivered`,
  );
}

/** The undelivered operations above an amount that began on a chain. */
async function undeliveredAbove(
  book: AddressBook,
  { chain, asset }: Listing,
  amount: bigint,
  clients: Clients,
): Promise<readonly Operation[]> {
  const client = await clientOn(clients, contractOn(book, chain));
  const destination = await clientOn(clients, contractOn(book, otherChain(chain)));
  const operations = await readOperations(client, book, chain);
  const found: Operation[] = [];
  for (const operation of operations.filter((one) => one.asset === asset && one.amount + one.fee > amount)) {
    if (!(await isDelivered(destination, book, chain, operation.number))) found.push(operation);
  }
  return found;
}

async function readLimitsOn(clients: Clients, book: AddressBook, listing: Listing): Promise<LimitsAndCeiling> {
  return readLimits(await clientOn(clients, contractOn(book, listing.chain)), book, listing);
}

interface LimitsAndCeiling {
  readonly limits: Limits;
  readonly ceiling: Limits;
}

async function readLimits(
  client: PublicClient,
  book: AddressBook,
  { chain, asset }: Listing,
): Promise<LimitsAndCeiling> {
  const view = { ...getViewParameters(contractOn(book, chain)), args: [getToken(book, chain, asset)] } as const;
  const [capacity, window] = await client.readContract({ ...view, functionName: 'outflowLimit' });
  const maxAmount = await client.readContract({ ...view, functionName: 'maxAmount' });
  const ceiling = await client.readContract({ ...view, functionName: 'limitCeiling' });
  return {
    limits: { capacity, windowSeconds: Number(window), maxAmount },
    ceiling: {
      capacity: ceiling.capacity,
      windowSeconds: Number(ceiling.window),
      maxAmount: ceiling.maxAmount,
    },
  };
}

function unreadNote(chain: ChainName): string {
  return `The limits on ${chain} were not compared, because no node was given: add --${chain}-rpc <url>`;
}

function isSameLimits(one: Limits, other: Limits): boolean {
  return (
    one.capacity === other.capacity && one.windowSeconds === other.windowSeconds && one.maxAmount === other.maxAmount
  );
}

function formatChanges(asset: Asset, before: Limits, after: Limits, window: string): readonly string[] {
  const [shownBefore, shownAfter] = [shownLimits(asset, before, window), shownLimits(asset, after, window)];
  return Object.entries(shownAfter).map(([name, value]) => formatChange(name, shownBefore[name] ?? '', value));
}

function shownLimits(asset: Asset, { capacity, windowSeconds, maxAmount }: Limits, window: string): Values {
  return {
    capacity: formatWithUnit(asset, capacity),
    [window]: formatDuration(windowSeconds),
    'maximum amount': formatWithUnit(asset, maxAmount),
  };
}
