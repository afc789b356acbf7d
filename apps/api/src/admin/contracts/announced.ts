import type { ChainConnection } from '@causeway/chain';
import { adminTimelockAbi, bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { decodeCall, printValue } from '@causeway/contracts/admin';
import { assetOfToken, formatAmount, type AddressBook, type Side } from '@causeway/protocol';
import type { ContractsResponse } from '@causeway/protocol/admin';
import { isAddressEqual, type Address, type Hex } from 'viem';
import type { ContractEvent } from './contract-events.js';

type AnnouncedRow = ContractsResponse['announced'][number];
type HistoryRow = ContractsResponse['history'][number];

/** Whose announced calls are read: the timelock of one side, at a block. */
interface TimelockAt {
  readonly side: Side;
  readonly book: AddressBook;
  readonly timelock: Address;
  readonly number: bigint;
  readonly at: Date;
}

/** Arguments that are amounts of the token beside them. */
const AMOUNTS = new Set(['amount', 'capacity', 'maxAmount', 'minFee', 'minAmount']);
/** What a timelock answers for a call that was executed. */
const DONE = 1n;

/**
 * The calls that a timelock has announced, and neither executed nor cancelled. Events say which there may be, and the
 * timelock itself which there are, so a cancelled one is never shown as announced.
 *
 * @throws QuorumError
 */
export async function readAnnounced(
  connection: ChainConnection,
  timelock: TimelockAt,
  events: readonly ContractEvent[],
): Promise<readonly AnnouncedRow[]> {
  const ended = new Set(events.filter(({ name }) => name === 'CallExecuted' || name === 'Cancelled').map(idOf));
  // The last announcement of an id counts: a cancelled call may be announced again.
  const scheduled = events.filter(({ name }) => name === 'CallScheduled');
  const candidates = scheduled.filter((event) => !ended.has(idOf(event)) || isAnnouncedAgain(event, events));
  if (candidates.length === 0) return [];
  const ids = [...new Set(candidates.map(idOf))];
  const readyAt = await connection.agree(async (client) =>
    Promise.all(
      ids.map(async (id) => {
        const view = { address: timelock.timelock, abi: adminTimelockAbi, functionName: 'getTimestamp' } as const;
        return [id, await client.readContract({ ...view, args: [id], blockNumber: timelock.number })] as const;
      }),
    ),
  );
  const pending = new Map(readyAt.filter(([, seconds]) => seconds > DONE));
  return candidates.flatMap((event) => {
    const seconds = pending.get(idOf(event));
    return seconds === undefined ? [] : [toRow(timelock, event, seconds)];
  });
}

/** The changes of one side, newest first. */
export function historyRows(side: Side, book: AddressBook, events: readonly ContractEvent[]): readonly HistoryRow[] {
  return events.toReversed().map(({ name, args, blockNumber, at, txHash }) => ({
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
  const cancelled = events.findLastIndex(({ name, args }) => name === 'Cancelled' && args['id'] === idOf(event));
  return cancelled !== -1 && events.indexOf(event) > cancelled;
}

function idOf({ args }: ContractEvent): Hex {
  return args['id'] as Hex;
}

function toRow({ side, book, timelock, at }: TimelockAt, event: ContractEvent, seconds: bigint): AnnouncedRow {
  const readyAt = new Date(Number(seconds) * 1_000);
  const [target, data] = [event.args['target'] as Address, event.args['data'] as Hex];
  return {
    side,
    id: idOf(event),
    ...decoded(side, book, timelock, target, data),
    readyAt: readyAt.toISOString(),
    isReady: readyAt <= at,
    txHash: event.txHash,
  };
}

/** The call inside an announcement. One to a contract that is not the bridge's is shown as data. */
function decoded(side: Side, book: AddressBook, timelock: Address, target: Address, data: Hex) {
  const bridge = side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint;
  const bridgeName = side === 'ethereum' ? 'BridgeLock' : 'BridgeMint';
  const isBridge = isAddressEqual(target, bridge);
  if (!isBridge && !isAddressEqual(target, timelock)) return undecoded(target, data);
  try {
    const abi = isBridge ? (side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi) : adminTimelockAbi;
    const call = decodeCall(abi, data);
    return { contract: isBridge ? bridgeName : 'AdminTimelock', ...call, arguments: [...call.arguments] };
  } catch {
    // The owner of the timelock may announce anything. This call reverts when it is executed.
    return undecoded(target, data);
  }
}

function undecoded(target: Address, data: Hex) {
  return { contract: target, functionName: 'unknown', arguments: [{ name: 'data', value: data }] };
}

function shownValue(side: Side, book: AddressBook, args: ContractEvent['args'], name: string, value: unknown): string {
  const token = args['token'];
  const asset = typeof token === 'string' ? assetOfToken(book, side, token.toLowerCase() as Address) : null;
  if (asset !== null && name === 'token') return asset;
  if (asset !== null && AMOUNTS.has(name) && typeof value === 'bigint') return `${formatAmount(asset, value)} ${asset}`;
  return printValue(value);
}
