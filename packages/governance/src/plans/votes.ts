import {
  encodeFunctionData,
  getAddress,
  keccak256,
  zeroAddress,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
} from 'viem';
import { adminTimelockAbi, sentinelAbi } from '@causeway/contracts/abi';
import type { AddressBook } from '@causeway/contracts/address-book';
import type { ChainName } from '@causeway/contracts/deploy';
import {
  clientOn,
  contractOn,
  readTimelock,
  formatChange,
  OFFICES,
  PlanRefusedError,
  readOffices,
  type CalledContract,
  type Clients,
  type Effect,
  type Office,
  type PlannedCalls,
} from '../calls/calls.js';
import { unpause, type Direction } from './pauses.js';
import { describeSuccession, readSuccession, successorEffect } from './succession.js';
import { expectUnused } from './unused-account.js';

/** Seconds in which a vote counts: `VOTE_LIFETIME` of Offices. */
const VOTE_SECONDS = 3n * 86_400n;

/** The timelock of a chain, whose offices vote, with the bridge contract that it administers. */
interface Electorate {
  readonly client: PublicClient;
  readonly contract: CalledContract;
  readonly timelock: CalledContract;
  readonly round: bigint;
}

/** A vote, as shown to the operator. */
interface Vote {
  readonly functionName: 'voteReplace' | 'voteUnpause' | 'voteEnd';
  readonly args: readonly unknown[];
  /** The effect of the second vote. */
  readonly carried: Effect;
  readonly title: string;
  readonly lines: readonly string[];
}

/**
 * Plans a vote that passes an office to another account.
 *
 * @throws PlanRefusedError when the account has a role or an office, or was a relayer wallet.
 */
export async function planVoteReplace(
  book: AddressBook,
  { chain, office, to }: { readonly chain: ChainName; readonly office: Office; readonly to: Address },
  clients: Clients,
): Promise<PlannedCalls> {
  const electorate = await readElectorate(book, chain, clients);
  const { client, contract, timelock, round } = electorate;
  await expectUnused(client, contract, to);
  await expectNoPauser(electorate, to);
  const view = { address: timelock.to, abi: adminTimelockAbi, functionName: office } as const;
  const carried: Effect = async (reader) => ({
    before: { [office]: await reader.readContract(view) },
    after: { [office]: getAddress(to) },
  });
  return planVote(electorate, {
    functionName: 'voteReplace',
    args: [round, OFFICES.indexOf(office), to],
    carried,
    title: `replace the ${office}`,
    lines: [formatChange(office, await client.readContract(view), getAddress(to))],
  });
}

/**
 * Plans a vote that lifts the pause of a direction in the contract of a chain, by the number of its last pause.
 *
 * @throws PlanRefusedError when the direction is not paused in that contract.
 */
export async function planVoteUnpause(
  book: AddressBook,
  { chain, direction }: { readonly chain: ChainName; readonly direction: Direction },
  clients: Clients,
): Promise<PlannedCalls> {
  const electorate = await readElectorate(book, chain, clients);
  const { client, contract, round } = electorate;
  const { calls, changes } = await unpause(book, direction, { [chain]: client });
  const [call] = calls;
  if (call === undefined) {
    throw new PlanRefusedError(
      `${contract.contract} on ${chain} is not paused in this direction, so no vote is needed`,
    );
  }
  return planVote(electorate, {
    functionName: 'voteUnpause',
    args: [round, contract.bridge, ...call.args],
    carried: call.effect,
    title: 'lift a pause',
    lines: changes.map((line) => `  ${line.trimStart()}`),
  });
}

/**
 * Plans a vote that ends the announced succession of a chain.
 *
 * @throws PlanRefusedError without a succession, and after the first hand-over.
 */
export async function planVoteEnd(book: AddressBook, chain: ChainName, clients: Clients): Promise<PlannedCalls> {
  const electorate = await readElectorate(book, chain, clients);
  const { client, contract, round } = electorate;
  const progress = await readSuccession(client, contract);
  const where = `${contract.contract} on ${chain}`;
  if (progress.successor === zeroAddress) throw new PlanRefusedError(`${where} has no successor, so no vote is needed`);
  if (progress.hasBegun) throw new PlanRefusedError(`${where} has already handed over, so the succession cannot end`);
  return planVote(electorate, {
    functionName: 'voteEnd',
    args: [round, contract.bridge, progress.successor],
    carried: successorEffect(contract, zeroAddress),
    title: 'end a succession',
    lines: describeSuccession(progress),
  });
}

/** Plans to withdraw the signer's vote. */
export async function planWithdrawVote(
  book: AddressBook,
  { chain, subject }: { readonly chain: ChainName; readonly subject: Hex },
  clients: Clients,
): Promise<PlannedCalls> {
  const { client, timelock } = await readElectorate(book, chain, clients);
  const effect: Effect = async (reader) => {
    const { length } = await readVotes(reader, timelock.to, subject);
    return { before: shownCount(length), after: shownCount(Math.max(length - 1, 0)) };
  };
  return {
    calls: [{ ...timelock, functionName: 'withdrawVote', args: [subject], role: 'office', effect }],
    changes: [
      `withdraws a vote of the admin timelock on ${chain}`,
      `  subject: ${subject}`,
      ...(await readVotes(client, timelock.to, subject)).map(shownVote),
    ],
  };
}

async function planVote(electorate: Electorate, vote: Vote): Promise<PlannedCalls> {
  const { client, contract, timelock, round } = electorate;
  const { functionName, args, carried, title, lines } = vote;
  // The second vote calls the bridge contract, so the ABI includes its errors.
  const abi: Abi = [...timelock.abi, ...contract.abi.filter(({ type }) => type === 'error')];
  const subject = keccak256(encodeFunctionData({ abi, functionName, args }));
  const effect: Effect = async (reader) => {
    const { length } = await readVotes(reader, timelock.to, subject);
    const { before, after } = await carried(reader);
    return length === 0
      ? { before: { ...shownCount(0), ...before }, after: { ...shownCount(1), ...before } }
      : { before: { ...shownCount(length), ...before }, after: { ...shownCount(0), ...after } };
  };
  const votes = await readVotes(client, timelock.to, subject);
  const { timestamp } = await client.getBlock();
  const first =
    `  first vote: it counts until ${shownTime(timestamp + VOTE_SECONDS)}, and the same vote by ` +
    'a second office executes it';
  const outcome = votes.length === 0 ? [first] : [...votes.map(shownVote), '  the vote of another office executes it'];
  return {
    calls: [{ ...timelock, abi, functionName, args, role: 'office', effect }],
    changes: [
      `vote to ${title}, in round ${round} of the admin timelock on ${contract.chain}`,
      ...lines,
      `  subject: ${subject}`,
      ...outcome,
    ],
  };
}

async function readElectorate(book: AddressBook, chain: ChainName, clients: Clients): Promise<Electorate> {
  const contract = contractOn(book, chain);
  const client = await clientOn(clients, contract);
  const timelock = await readTimelock(client, contract);
  const round = await client.readContract({ address: timelock.to, abi: adminTimelockAbi, functionName: 'round' });
  return { client, contract, timelock, round };
}

/** @throws PlanRefusedError when the account is a pauser, whose key may be on an online machine. */
async function expectNoPauser({ client, contract }: Electorate, account: Address): Promise<void> {
  const pauser = { address: contract.sentinel, abi: sentinelAbi, functionName: 'isPauser', args: [account] } as const;
  if (!(await client.readContract(pauser))) return;
  throw new PlanRefusedError(
    `${account} is a pauser of ${contract.contract} on ${contract.chain}: choose another account`,
  );
}

interface GivenVote {
  readonly office: Office;
  readonly account: Address;
  /** Unix seconds. */
  readonly until: bigint;
}

/** The votes on a subject that still count. */
async function readVotes(client: PublicClient, timelock: Address, subject: Hex): Promise<readonly GivenVote[]> {
  const { timestamp } = await client.getBlock();
  const view = { address: timelock, abi: adminTimelockAbi, functionName: 'votedUntil' } as const;
  const offices = await readOffices(client, timelock);
  const votes = await Promise.all(
    offices.map(async (one) => ({
      ...one,
      until: await client.readContract({ ...view, args: [subject, one.account] }),
    })),
  );
  return votes.filter(({ until }) => until >= timestamp);
}

function shownVote({ office, account, until }: GivenVote): string {
  return `  given by the ${office} ${account}, until ${shownTime(until)}`;
}

function shownCount(votes: number) {
  return { 'votes that count': `${votes}` };
}

function shownTime(seconds: bigint): string {
  return new Date(Number(seconds) * 1_000).toISOString();
}
