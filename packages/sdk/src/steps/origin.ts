import { claimedEventAbi, depositEventAbi, withdrawEventAbi } from '@causeway/protocol/abi';
import { decodeEventLog, encodeEventTopics, isAddressEqual, type Address, type Hex } from 'viem';
import { iterateHistory } from '../api/history.js';
import { readLogs, readNewestBlock, readReceipt, readTransaction, type NodeLog } from '../wallet/node.js';
import type { TransferContext } from './context.js';
import type { TransferRecord } from '../record/record.js';
import type { Look } from '../errors.js';

/** A range that public nodes serve. Older transfers are found through the API. */
const MOST_BLOCKS = 5_000n;
/** Tolerance, because an operation of the API can have the time of a block and clocks differ. */
const CLOCK_SKEW_MS = 15 * 60_000;
const MOST_OPERATIONS = 500;

/** The transaction of a step, if found, and the checked sources. */
export interface Search {
  readonly hash: Hex | null;
  readonly looks: readonly Look[];
}

/** Describes the event that begins a transfer, with its topics. */
function describeEvent({ kind, token, sender }: TransferRecord) {
  if (kind === 'DEPOSIT')
    return { abi: depositEventAbi, topics: encodeEventTopics({ abi: depositEventAbi, args: { token, sender } }) };
  if (kind === 'CLAIM') {
    const args = { token, account: sender };
    return { abi: claimedEventAbi, topics: encodeEventTopics({ abi: claimedEventAbi, args }) };
  }
  return { abi: withdrawEventAbi, topics: encodeEventTopics({ abi: withdrawEventAbi, args: { token, sender } }) };
}

/** Returns whether a log begins this transfer: same contract, token, sender, recipient and amount. */
export function isOrigin(record: TransferRecord, log: NodeLog): boolean {
  const { abi, topics } = describeEvent(record);
  if (!isAddressEqual(log.address, record.contract)) return false;
  if (topics.some((topic, index) => topic !== null && topic !== log.topics[index]?.toLowerCase())) return false;
  const { args } = decodeEventLog({ abi, topics: [...log.topics] as [Hex, ...Hex[]], data: log.data });
  const { recipient, destination, to, amount } = args as unknown as {
    readonly recipient?: Address;
    readonly destination?: Address;
    readonly to?: Address;
    readonly amount: bigint;
  };
  const paid = recipient ?? destination ?? to;
  // A claim withdraws the whole credit of that time.
  const fits = record.kind === 'CLAIM' || amount === BigInt(record.amount);
  return fits && paid !== undefined && isAddressEqual(paid, record.recipient);
}

/**
 * Searches for the transaction that begins a transfer: on its chain, then in the API's history.
 *
 * @param nonce of the transaction, if known: another nonce belongs to a different, equal transfer.
 */
export async function findOrigin(context: TransferContext, nonce?: number): Promise<Search> {
  const { wallet, journal } = context;
  const { record } = journal;
  const { contract: address } = record;
  const { number } = await readNewestBlock(wallet);
  const first = BigInt(record.fromBlock);
  const from = number - MOST_BLOCKS > first ? number - MOST_BLOCKS : first;
  const { topics } = describeEvent(record);
  const logs = await readLogs(wallet, { address, topics: topics as (Hex | null)[] }, from);
  for (const log of logs.filter((each) => isOrigin(record, each)))
    if (await hasNonce(context, log.transactionHash, nonce)) return { hash: log.transactionHash, looks: [] };
  const looks = [{ at: `events of ${address} from block ${from} on`, showed: 'no such transfer' }];
  if (from === first || record.kind === 'CLAIM') return { hash: null, looks };
  const hash = await findInHistory(context, nonce);
  return { hash, looks: [...looks, { at: 'history of the API', showed: 'no such transfer' }] };
}

/** Returns whether a transaction has the sender's nonce. Smart accounts use transactions of other accounts. */
async function hasNonce({ wallet, journal }: TransferContext, hash: Hex, nonce?: number): Promise<boolean> {
  if (nonce === undefined) return true;
  const transaction = await readTransaction(wallet, hash);
  if (transaction === null || !isAddressEqual(transaction.from, journal.record.sender)) return true;
  return Number(transaction.nonce) === nonce;
}

async function findInHistory(context: TransferContext, nonce?: number): Promise<Hex | null> {
  const { bridge, wallet, journal, options } = context;
  const { record } = journal;
  const after = Date.parse(record.createdAt) - CLOCK_SKEW_MS;
  let read = 0;
  for await (const operation of iterateHistory(bridge, { address: record.sender, role: 'sender' }, options)) {
    read += 1;
    if (Date.parse(operation.createdAt) < after || read > MOST_OPERATIONS) return null;
    const { originTxHash, intentId, amount, recipient } = operation;
    if (originTxHash === null || intentId !== null || amount !== record.amount) continue;
    if (!isAddressEqual(recipient, record.recipient)) continue;
    // The chain decides; the API only names a candidate.
    const receipt = await readReceipt(wallet, originTxHash);
    const isFound = receipt?.logs.some((each) => isOrigin(record, each)) === true;
    if (isFound && (await hasNonce(context, originTxHash, nonce))) return originTxHash;
  }
  return null;
}
