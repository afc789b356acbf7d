import type { ChainConnection } from '@causeway/chain';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi, sentinelAbi } from '@causeway/contracts/abi';
import { callHash, decodeCall, printValue } from '@causeway/governance';
import { findAssetByToken, formatAmount, type AddressBook, type Side } from '@causeway/protocol';
import type { ContractsResponse } from '@causeway/protocol/admin';
import {
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  keccak256,
  parseAbiParameters,
  zeroHash,
  type Address,
  type Hex,
} from 'viem';
import type { ContractEvent } from './contract-events.js';

type AnnouncedRow = ContractsResponse['announced'][number];
type HistoryRow = ContractsResponse['history'][number];

/** The timelock of one side, at a block. */
interface TimelockAt {
  readonly side: Side;
  readonly book: AddressBook;
  readonly timelock: Address;
  readonly number: bigint;
  readonly at: Date;
}

/** Arguments that are amounts of the call's `token` argument. */
const AMOUNTS = new Set(['amount', 'capacity', 'maxAmount', 'minFee', 'minAmount']);
/** Name shown for a function that is not part of the bridge. */
export const UNDECODED = 'unknown';
/** The timestamp that a timelock returns for an executed call. */
const DONE = 1n;

/**
 * Lists the calls that a timelock has announced and that are not executed, cancelled or expired. Events give the
 * candidates; the timelock itself confirms each.
 *
 * @throws QuorumError
 */
export async function readAnnounced(
  connection: ChainConnection,
  timelock: TimelockAt,
  events: readonly ContractEvent[],
): Promise<readonly AnnouncedRow[]> {
  const ended = new Set(events.filter(({ name }) => name === 'CallExecuted' || name === 'Cancelled').map(getId));
  // The last announcement of an id counts, because a cancelled call can be announced again.
  const scheduled = events.filter(({ name }) => name === 'CallScheduled');
  const candidates = scheduled.filter((event) => !ended.has(getId(event)) || isAnnouncedAgain(event, events));
  if (candidates.length === 0) return [];
  const ids = [...new Set(candidates.flatMap((event) => [getId(event), getPredecessor(event)]))];
  const readyAt = await connection.agree(async (client) =>
    Promise.all(
      ids.map(async (id) => {
        const view = {
          address: timelock.timelock,
          abi: adminTimelockAbi,
          args: [id],
          blockNumber: timelock.number,
        } as const;
        const isKnown = await client.readContract({ ...view, functionName: 'isOperation' });
        return [id, isKnown ? await client.readContract({ ...view, functionName: 'getTimestamp' }) : 0n] as const;
      }),
    ),
  );
  const times = new Map(readyAt);
  return candidates.flatMap((event) => {
    const seconds = times.get(getId(event)) ?? 0n;
    const before = getPredecessor(event);
    const isNext = before === zeroHash || times.get(before) === DONE;
    return seconds > DONE ? [toRow(timelock, event, { seconds, isNext, salt: findSalt(event, events) })] : [];
  });
}

/** Converts the events of one side to rows, newest first. */
export function historyRows(side: Side, book: AddressBook, events: readonly ContractEvent[]): readonly HistoryRow[] {
  const shown = events.filter(({ name }) => name !== 'CallSalt');
  return shown.toReversed().map(({ name, args, blockNumber, at, txHash }) => ({
    side,
    at: at?.toISOString() ?? null,
    blockNumber: Number(blockNumber),
    event: name,
    arguments: Object.entries(args).map(([argument, value]) => ({
      name: argument,
      value: shownValue(side, book, args, argument, value),
    })),
    txHash,
  }));
}

function isAnnouncedAgain(event: ContractEvent, events: readonly ContractEvent[]): boolean {
  const cancelled = events.findLastIndex(({ name, args }) => name === 'Cancelled' && args['id'] === getId(event));
  return cancelled !== -1 && events.indexOf(event) > cancelled;
}

function getId({ args }: ContractEvent): Hex {
  return args['id'] as Hex;
}

function getPredecessor({ args }: ContractEvent): Hex {
  return args['predecessor'] as Hex;
}

/**
 * The salt of a call that was announced alone; null for a call of a batch. The timelock emits an event for a non-zero
 * salt, and the id proves the salt.
 */
function findSalt(event: ContractEvent, events: readonly ContractEvent[]): Hex | null {
  const { target, value, data } = getCall(event);
  const salts = events.filter((each) => each.name === 'CallSalt' && getId(each) === getId(event));
  const fits = (salt: Hex) =>
    getId(event) === keccak256(encodeAbiParameters(OPERATION, [target, value, data, getPredecessor(event), salt]));
  return [zeroHash, ...salts.map(({ args }) => args['salt'] as Hex)].find(fits) ?? null;
}

/** The encoding that the timelock's hashOperation hashes. */
const OPERATION = parseAbiParameters('address, uint256, bytes, bytes32, bytes32');

function getCall({ args }: ContractEvent) {
  return { target: args['target'] as Address, value: args['value'] as bigint, data: args['data'] as Hex };
}

/** The state of an announced call. `isNext`: its predecessor, if any, is executed. */
interface Announcement {
  readonly seconds: bigint;
  readonly isNext: boolean;
  readonly salt: Hex | null;
}

function toRow(timelock: TimelockAt, event: ContractEvent, { seconds, isNext, salt }: Announcement): AnnouncedRow {
  const { side, book, at } = timelock;
  const readyAt = new Date(Number(seconds) * 1_000);
  const { target, value, data } = getCall(event);
  const isReady = isNext && readyAt <= at;
  const call = describeCall(side, book, timelock.timelock, target, data);
  const state = { call, readyAt: readyAt.toISOString(), isReady };
  return {
    side,
    id: getId(event),
    ...call,
    target: target.toLowerCase() as Address,
    value: value.toString(),
    data,
    predecessor: getPredecessor(event),
    salt,
    readyAt: state.readyAt,
    isReady,
    txHash: event.txHash,
    execute: salt === null ? null : toExecute(timelock, event, salt, state),
  };
}

/** The transaction with which the timelock's owner executes a call. */
function toExecute(
  { side, book, timelock, number }: TimelockAt,
  event: ContractEvent,
  salt: Hex,
  { call, readyAt, isReady }: { readonly call: DescribedCall; readonly readyAt: string; readonly isReady: boolean },
): AnnouncedRow['execute'] {
  const { target, value, data: payload } = getCall(event);
  const args = [target, value, payload, getPredecessor(event), salt] as const;
  const data = encodeFunctionData({ abi: adminTimelockAbi, functionName: 'execute', args });
  const { chainId } = book[side];
  return {
    side,
    chainId,
    step: 'execute',
    ...call,
    to: timelock,
    data,
    value: value.toString(),
    readyAt,
    callHash: callHash({ chainId, to: timelock, value, data }),
    blockNumber: Number(number),
    changes: [],
    isSimulated: false,
    maySend: isReady,
    problem: isReady ? null : 'Its delay has not ended, or its predecessor has not been executed.',
  };
}

/** A decoded call with the names of its arguments. */
export interface DescribedCall {
  readonly contract: string;
  readonly functionName: string;
  readonly arguments: { readonly name: string; readonly value: string }[];
}

/** Decodes a call to a bridge contract. Calls to other contracts are shown as data. */
export function describeCall(
  side: Side,
  book: AddressBook,
  timelock: Address | null,
  target: Address,
  data: Hex,
): DescribedCall {
  const { ethereum, partner } = book;
  const known = [
    side === 'ethereum'
      ? { contract: 'BridgeLock', address: ethereum.bridgeLock, abi: bridgeLockAbi }
      : { contract: 'BridgeMint', address: partner.bridgeMint, abi: bridgeMintAbi },
    { contract: 'Sentinel', address: book[side].sentinel, abi: sentinelAbi },
    ...(timelock === null ? [] : [{ contract: 'AdminTimelock', address: timelock, abi: adminTimelockAbi }]),
  ];
  const found = known.find(({ address }) => isAddressEqual(address, target));
  if (found === undefined) return undecoded(target, data);
  try {
    const call = decodeCall(found.abi, data);
    return { contract: found.contract, ...call, arguments: [...call.arguments] };
  } catch {
    // The timelock's owner can announce any data. Executing this call reverts.
    return undecoded(target, data);
  }
}

function undecoded(target: Address, data: Hex): DescribedCall {
  return { contract: target, functionName: UNDECODED, arguments: [{ name: 'data', value: data }] };
}

function shownValue(side: Side, book: AddressBook, args: ContractEvent['args'], name: string, value: unknown): string {
  const token = args['token'];
  const asset = typeof token === 'string' ? findAssetByToken(book, side, token.toLowerCase() as Address) : null;
  if (asset !== null && name === 'token') return asset;
  if (asset !== null && AMOUNTS.has(name) && typeof value === 'bigint') return `${formatAmount(asset, value)} ${asset}`;
  return printValue(value);
}
