import { claimedEventAbi, depositEventAbi, withdrawEventAbi } from '@causeway/protocol/abi';
import { decodeEventLog, encodeEventTopics, isAddressEqual, type Address, type Hex } from 'viem';
import { iterateHistory } from '../api/history.js';
import { readLogs, readNewestBlock, readReceipt, readTransaction, type NodeLog } from '../wallet/node.js';
import type { TransferContext } from './context.js';
import { findStep } from './call.js';
import type { SendStep, TransferRecord } from '../record/record.js';
import type { Look } from '../errors.js';

/** Bounds of a search. Older transfers are found through the API. */
const MOST_BLOCKS = 5_000n;
const MOST_REQUESTS = 24;
const MOST_OPERATIONS = 500;
const OPERATIONS_PER_PAGE = 100;

/** The transaction of a step, if found, and the checked sources. */
export interface Search {
  readonly hash: Hex | null;
  /**
   * True if the chain was searched back to the beginning of the transfer. Otherwise a transaction that was not found
   * can still exist: the API may lack it.
   */
  readonly isComplete: boolean;
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

/** What is known of a transaction that may have been sent. */
type Attempt = Pick<SendStep, 'nonce' | 'nonceBefore'>;

/** Searches for the transaction that begins a transfer: on its chain, then in the API's history. */
export async function findOrigin(context: TransferContext, attempt: Attempt = {}): Promise<Search> {
  const { record } = context.journal;
  const { logs, isComplete, look } = await readEvents(context);
  for (const log of logs.filter((each) => isOrigin(record, each)))
    if (await isOwn(context, log.transactionHash, attempt)) return { hash: log.transactionHash, isComplete, looks: [] };
  if (isComplete || record.kind === 'CLAIM') return { hash: null, isComplete, looks: [look] };
  const hash = await findInHistory(context, attempt);
  return { hash, isComplete, looks: [look, { at: 'history of the API', showed: 'no such transfer' }] };
}

/**
 * Reads the events of a transfer's contract, oldest first. It searches backwards from the newest block, and halves a
 * range that the node refuses.
 */
async function readEvents({ bridge, wallet, journal, options }: TransferContext) {
  const { record } = journal;
  const filter = { address: record.contract, topics: describeEvent(record).topics as (Hex | null)[] };
  const { number } = await readNewestBlock(wallet);
  const first = BigInt(record.fromBlock);
  const oldest = number - MOST_BLOCKS > first ? number - MOST_BLOCKS : first;
  const end = performance.now() + bridge.timeoutMs;
  const logs: NodeLog[] = [];
  let [to, size, requests] = [number, number - oldest + 1n, 0];
  while (to >= oldest && size > 0n && requests < MOST_REQUESTS && performance.now() < end) {
    const from = to - size + 1n > oldest ? to - size + 1n : oldest;
    requests += 1;
    try {
      logs.unshift(...(await readLogs(wallet, filter, from, to === number ? 'latest' : to)));
      to = from - 1n;
    } catch {
      options.signal?.throwIfAborted();
      size /= 2n;
    }
  }
  // A node that lags behind the beginning of the transfer proves nothing.
  const isComplete = to < first && number >= first;
  const rest = isComplete ? '' : ', and earlier blocks were not searched';
  const look: Look = { at: `events of ${record.contract} from block ${to + 1n} on`, showed: `no such transfer${rest}` };
  return { logs, isComplete, look };
}

/** Returns whether a transaction is that of a transfer and not of another with the same terms. */
async function isOwn({ wallet, journal }: TransferContext, hash: Hex, attempt: Attempt): Promise<boolean> {
  const { record } = journal;
  const { nonce, nonceBefore = 0 } = attempt;
  const transaction = await readTransaction(wallet, hash);
  if (transaction === null) return true;
  const signed = findStep(record, 'sign');
  // Transactions with one authorization can have several nonces; only one succeeds.
  if (signed?.what === 'authorization') return transaction.input.includes(signed.nonce.slice(2));
  // Smart accounts use transactions of other accounts.
  if (!isAddressEqual(transaction.from, record.sender)) return true;
  return nonce === undefined ? Number(transaction.nonce) >= nonceBefore : Number(transaction.nonce) === nonce;
}

/** Searches the history, newest first, by blocks and not by time: the clock of this machine can be wrong. */
async function findInHistory(context: TransferContext, attempt: Attempt): Promise<Hex | null> {
  const { bridge, wallet, journal, options } = context;
  const { record } = journal;
  const query = { address: record.sender, role: 'sender', limit: OPERATIONS_PER_PAGE } as const;
  let read = 0;
  for await (const operation of iterateHistory(bridge, query, options)) {
    read += 1;
    if (read > MOST_OPERATIONS) return null;
    const { originTxHash, intentId, amount, recipient } = operation;
    if (originTxHash === null || intentId !== null || amount !== record.amount) continue;
    if (!isAddressEqual(recipient, record.recipient)) continue;
    // The chain decides; the API only names a candidate.
    const receipt = await readReceipt(wallet, originTxHash);
    if (receipt?.logs.some((each) => isOrigin(record, each)) !== true) continue;
    if (BigInt(receipt.blockNumber) < BigInt(record.fromBlock)) return null;
    if (await isOwn(context, originTxHash, attempt)) return originTxHash;
  }
  return null;
}
