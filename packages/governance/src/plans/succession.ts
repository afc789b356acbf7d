import { getAddress, zeroAddress, type Address, type PublicClient } from 'viem';
import { bridgedTokenAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { formatWithUnit, formatDuration } from '../amounts.js';
import { listAssets, type Asset } from '@causeway/contracts/assets';
import { getToken, type AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  clientOn,
  contractOn,
  formatChange,
  getViewParameters,
  PlanRefusedError,
  type CalledContract,
  type Clients,
  type Effect,
  type PlannedCalls,
} from '../calls/calls.js';
import { shownPause } from './pauses.js';
import { expectUnused } from './unused-account.js';

/** The state of a succession. `successor` is the zero address if there is none; times are Unix seconds. */
export interface SuccessionProgress {
  readonly exitWindow: bigint;
  readonly successor: Address;
  readonly handOverFrom: bigint;
  readonly hasBegun: boolean;
}

/**
 * Plans to announce the contract of the next edition.
 *
 * @throws PlanRefusedError outside local environments, for an account in use, and when not all holders could leave
 * within the exit window.
 */
export async function planAnnouncement(
  book: AddressBook,
  { chain, successor }: { readonly chain: ChainName; readonly successor: Address },
  clients: Clients,
): Promise<PlannedCalls> {
  if (book.environment !== 'local') {
    throw new PlanRefusedError(
      'The services support one edition only: a succession can be announced only in the local environment',
    );
  }
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  await expectUnused(client, contract, successor);
  const { exitWindow } = await readSuccession(client, contract);
  const exits = await readExits(book, clients);
  const lasting = exits.find(({ seconds }) => seconds === null || seconds > exitWindow);
  if (exitWindow > 0n && lasting !== undefined) {
    throw new PlanRefusedError(
      `Not all holders could leave within the exit window of ${formatDuration(Number(exitWindow))}: ` +
        `${describeExit(lasting)}. First raise the capacity: causeway-admin set-limit --asset ${lasting.asset} --chain ethereum`,
    );
  }
  const call = { functionName: 'announceSuccessor', args: [successor], role: 'admin' } as const;
  return {
    calls: [{ ...contract, ...call, effect: successorEffect(contract, successor) }],
    changes: [
      `${contract.contract} on ${chain} is succeeded by ${successor}`,
      `  exit window: ${formatDuration(Number(exitWindow))} after the announcement`,
      '  time in which all holders can leave, at the current limits:',
      ...exits.map((exit) => `    ${describeExit(exit)}`),
    ],
  };
}

/** Plans to end a succession as the admin. */
export async function planEndOfSuccession(
  book: AddressBook,
  chain: ChainName,
  clients: Clients,
): Promise<PlannedCalls> {
  const contract = contractOn(book, chain);
  const progress = await readSuccession(await clientOn(clients, contract), contract);
  const effect = successorEffect(contract, zeroAddress);
  return {
    calls: [{ ...contract, functionName: 'terminateSuccession', args: [], role: 'admin', effect }],
    changes: [`ends the succession of ${contract.contract} on ${chain}`, ...describeSuccession(progress)],
  };
}

/** Plans to close beginnings permanently. */
export async function planClosing(book: AddressBook, chain: ChainName, clients: Clients): Promise<PlannedCalls> {
  const contract = contractOn(book, chain);
  const progress = await readSuccession(await clientOn(clients, contract), contract);
  const effect: Effect = async (reader) => {
    const [until] = await reader.readContract({ ...getViewParameters(contract), functionName: 'pauses' });
    const { timestamp } = await reader.getBlock();
    return { before: { beginnings: shownPause(until, timestamp) }, after: { beginnings: 'paused without end' } };
  };
  return {
    calls: [{ ...contract, functionName: 'closeForEver', args: [], role: 'anyone', effect }],
    changes: [`closes beginnings in ${contract.contract} on ${chain} permanently`, ...describeSuccession(progress)],
  };
}

/**
 * Plans to hand funds to the successor, or the right to mint a bridged token.
 *
 * @throws PlanRefusedError on Ethereum, until the partner chain's contract has handed over in a final block.
 */
export async function planHandOver(
  book: AddressBook,
  { chain, asset, amount }: { readonly chain: ChainName; readonly asset: Asset; readonly amount: bigint },
  clients: Clients,
): Promise<PlannedCalls> {
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  if (chain === 'ethereum') await expectPartnerHandedOver(book, clients);
  const progress = await readSuccession(client, contract);
  const token = getToken(book, chain, asset);
  const effect: Effect =
    chain === 'partner' && token !== zeroAddress
      ? tokenEffect(token, asset, progress.successor)
      : fundsEffect(contract, token, { asset, amount });
  const { before, after } = await effect(client);
  return {
    calls: [{ ...contract, functionName: 'handOver', args: [token, amount], role: 'admin', effect }],
    changes: [
      `${contract.contract} on ${chain} hands over`,
      ...describeSuccession(progress),
      ...Object.entries(after).map(([name, value]) => formatChange(name, before[name] ?? '', value)),
    ],
  };
}

/** Reads the state of a succession. */
export async function readSuccession(
  client: PublicClient,
  contract: Pick<CalledContract, 'bridge'>,
  blockTag: 'latest' | 'finalized' = 'latest',
): Promise<SuccessionProgress> {
  const view = { ...getViewParameters(contract), functionName: 'successionProgress', blockTag } as const;
  const [exitWindow, successor, handOverFrom, hasBegun] = await client.readContract(view);
  return { exitWindow, successor, handOverFrom, hasBegun };
}

/** Lines with the successor, and when it can be paid. */
export function describeSuccession({ successor, handOverFrom }: SuccessionProgress): readonly string[] {
  if (successor === zeroAddress) return ['  no successor is announced'];
  return [`  successor: ${successor}`, `  hand-over from: ${new Date(Number(handOverFrom) * 1_000).toISOString()}`];
}

/** The change of the announced successor. */
export function successorEffect(contract: CalledContract, to: Address): Effect {
  return async (client) => {
    const { successor } = await readSuccession(client, contract);
    return { before: { successor: shownAccount(successor) }, after: { successor: shownAccount(to) } };
  };
}

/** The time in which all withdrawals of an asset can leave BridgeLock; null for never. */
interface Exit {
  readonly asset: Asset;
  readonly locked: bigint;
  readonly capacity: bigint;
  readonly windowSeconds: bigint;
  readonly seconds: bigint | null;
}

/** Each asset's collateral in BridgeLock is all that can leave. Assumes that the capacity is used up at the start. */
async function readExits(book: AddressBook, clients: Clients): Promise<readonly Exit[]> {
  const contract = contractOn(book, 'ethereum');
  const client = await clientOn(clients, contract);
  const lock = { address: contract.bridge, abi: bridgeLockAbi } as const;
  return Promise.all(
    listAssets().map(async (asset) => {
      const args = [getToken(book, 'ethereum', asset)] as const;
      const locked = await client.readContract({ ...lock, functionName: 'locked', args });
      const [capacity, window] = await client.readContract({ ...lock, functionName: 'outflowLimit', args });
      const isEndless = locked > 0n && (capacity === 0n || window === 0n);
      const seconds = isEndless ? null : capacity === 0n ? 0n : (locked * window + capacity - 1n) / capacity;
      return { asset, locked, capacity, windowSeconds: window, seconds };
    }),
  );
}

function describeExit({ asset, locked, capacity, windowSeconds, seconds }: Exit): string {
  const time = seconds === null ? 'never' : formatDuration(Math.ceil(Number(seconds) / 60) * 60);
  const limit = `${formatWithUnit(asset, capacity)} in ${formatDuration(Number(windowSeconds))}`;
  return `${formatWithUnit(asset, locked)} at ${limit}: ${time}`;
}

async function expectPartnerHandedOver(book: AddressBook, clients: Clients): Promise<void> {
  const partner = contractOn(book, 'partner');
  const { hasBegun } = await readSuccession(await clientOn(clients, partner), partner, 'finalized');
  if (hasBegun) return;
  throw new PlanRefusedError(
    'BridgeMint on partner has handed over nothing in a final block: first run causeway-admin hand-over --chain partner',
  );
}

function fundsEffect(
  contract: CalledContract,
  token: Address,
  { asset, amount }: { readonly asset: Asset; readonly amount: bigint },
): Effect {
  const name = `${asset} without credits and fees`;
  return async (client) => {
    const free =
      contract.contract === 'BridgeLock'
        ? await client.readContract({
            address: contract.bridge,
            abi: bridgeLockAbi,
            functionName: 'locked',
            args: [token],
          })
        : await client.readContract({ address: contract.bridge, abi: bridgeMintAbi, functionName: 'float' });
    return { before: { [name]: formatWithUnit(asset, free) }, after: { [name]: formatWithUnit(asset, free - amount) } };
  };
}

function tokenEffect(address: Address, asset: Asset, successor: Address): Effect {
  const name = `successor that may mint ${asset}`;
  return async (client) => {
    const before = await client.readContract({ address, abi: bridgedTokenAbi, functionName: 'successor' });
    return { before: { [name]: shownAccount(before) }, after: { [name]: shownAccount(successor) } };
  };
}

function shownAccount(account: Address): string {
  return account === zeroAddress ? 'none' : getAddress(account);
}
