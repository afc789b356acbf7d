import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { size, toEventSelector, type Address, type Hex } from 'viem';
import { decodeBeginning, decodeRelayer, getSelectors } from '../blocks/events.js';
import { paysCoin, readCalls } from '../checks/payment.js';
import { computeRefundId } from '../digests/ids.js';
import type { Side } from '../nodes/finality.js';
import { COIN } from '../settings.js';
import type { Verifier } from '../verifier.js';
import { findTransaction, readPlaced, traceWallet, type Heads, type PlacedTransaction } from './heads.js';

interface Place {
  readonly side: Side;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: bigint;
}

/** A Deposit or Withdraw event. `token` is that of its chain. */
export interface EventBeginning extends Place {
  readonly kind: 'EVENT';
  readonly id: Hex;
  readonly number: bigint;
  readonly token: Address;
  readonly sender: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly fee: bigint;
  /** Other operations that begin in the transaction. */
  readonly otherIds: readonly Hex[];
}

/** A transfer to a relayer wallet. Native XCN can pay an intent; anything else can only be refunded. */
export interface PaymentBeginning extends Place {
  readonly kind: 'PAYMENT';
  readonly token: Address;
  readonly sender: Address;
  readonly wallet: Address;
  readonly amount: bigint;
  /** Its position in the transaction: see `computeRefundId`. */
  readonly callIndex: number;
  /** The id of its refund, which a release of an intent names as its transfer. */
  readonly transferId: Hex;
  /** The data of the payment if it is 32 bytes: payers name the intent there. */
  readonly memo: Hex | null;
  /** Whether it is the only such transfer of its transaction. */
  readonly isOnly: boolean;
}

/** Where an operation began, proven by the roots of its block. */
export type Beginning = EventBeginning | PaymentBeginning;

/** Known facts of an operation before its trace. At least one is given. */
export interface OperationQuestion {
  readonly id: Hex | null;
  readonly transactionHash: Hex | null;
}

const BEGINNINGS = ['Deposit', 'Withdraw'];
const RELAYER_CHANGED = getSelectors(bridgeMintAbi, ['RelayerChanged']);
const TRANSFER = toEventSelector('Transfer(address,address,uint256)');

/**
 * Finds where an operation began, on either chain: in the given transaction, otherwise by the event with its id.
 *
 * @returns null when neither chain has it up to the heads. An intent without a transaction has no trace.
 * @throws NoQuorumError
 */
export async function traceBeginning(
  question: OperationQuestion,
  verifier: Verifier,
  heads: Heads,
): Promise<Beginning | null> {
  const { id, transactionHash } = question;
  const inTransaction =
    transactionHash === null
      ? null
      : await onEitherChain(async (side) => {
          const placed = await findTransaction(verifier, side, transactionHash, heads);
          return placed === null ? null : readBeginning(placed, id, verifier, heads);
        });
  if (inTransaction !== null || id === null) return inTransaction;
  return onEitherChain(async (side) => {
    const { contract: address, deployedAtBlock: fromBlock } = verifier.settings[side];
    const topics = getSelectors(side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi, BEGINNINGS);
    const range = { fromBlock, toBlock: heads[side].number };
    const [log] = await verifier.readers[side].logs({ address, topics, indexed: [id], ...range }, heads[side]);
    const placed = log === undefined ? null : await readPlaced(verifier, side, log);
    return placed === null ? null : readBeginning(placed, id, verifier, heads);
  });
}

/** Asks both chains. A chain whose nodes do not agree matters only when the other one has nothing. */
async function onEitherChain<T>(ask: (side: Side) => Promise<T | null>): Promise<T | null> {
  const answers = await Promise.allSettled((['ethereum', 'partner'] as const).map(ask));
  const found = answers.find((answer) => answer.status === 'fulfilled' && answer.value !== null);
  if (found?.status === 'fulfilled') return found.value;
  const failed = answers.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
  return null;
}

/** The operation with an id that begins in a transaction; without an id, the first one. */
async function readBeginning(
  placed: PlacedTransaction,
  id: Hex | null,
  verifier: Verifier,
  heads: Heads,
): Promise<Beginning | null> {
  const { side, transaction, blockNumber, timestamp } = placed;
  if (!transaction.hasSucceeded) return null;
  const place = { side, transactionHash: transaction.hash, blockNumber, timestamp };
  const { contract } = verifier.settings[side];
  const events = transaction.logs.flatMap((log) => {
    const event = log.address === contract ? decodeBeginning(log) : null;
    return event === null ? [] : [event];
  });
  const event = id === null ? events[0] : events.find((one) => one.id === id);
  if (event !== undefined) {
    const { id: eventId, number, token, sender, recipient, amount, fee } = event;
    const otherIds = events.map((one) => one.id).filter((one) => one !== eventId);
    return { kind: 'EVENT', ...place, id: eventId, number, token, sender, recipient, amount, fee, otherIds };
  }
  const payments = await listPayments(placed, verifier, heads);
  // An intent that is bound by hand has no memo; then the transaction's first payment of coin is meant.
  const isMeant = ({ transferId, memo }: Arrival) => id === null || transferId === id || memo === id;
  const payment = payments.find(isMeant) ?? payments.find(({ token }) => side === 'partner' && token === COIN);
  return payment === undefined ? null : { kind: 'PAYMENT', ...place, ...payment, isOnly: payments.length === 1 };
}

type Arrival = Omit<PaymentBeginning, keyof Place | 'kind' | 'isOnly'>;

/** The transfers of a transaction to relayer wallets. */
async function listPayments(
  { side, transaction }: PlacedTransaction,
  verifier: Verifier,
  heads: Heads,
): Promise<readonly Arrival[]> {
  const { settings, readers } = verifier;
  const toArrival = (
    token: Address,
    callIndex: number,
    moved: Pick<Arrival, 'sender' | 'wallet' | 'amount' | 'memo'>,
  ) => {
    const asset = settings.assets.find(({ tokens }) => tokens[side] === token);
    if (asset === undefined) return [];
    const { chainId } = settings[side];
    const transferId = computeRefundId({ chainId, transactionHash: transaction.hash, asset: asset.symbol, callIndex });
    return [{ token, callIndex, transferId, ...moved }];
  };
  const tokens = transaction.logs.flatMap(({ address, topics: [topic, from, to], data, logIndex }) =>
    topic === TRANSFER && from !== undefined && to !== undefined
      ? toArrival(address, logIndex, {
          sender: toAddress(from),
          wallet: toAddress(to),
          amount: BigInt(data),
          memo: null,
        })
      : [],
  );
  const { to, value, input } = transaction;
  const coin =
    to !== null && value > 0n && (input === '0x' || size(input) === 32)
      ? toArrival(COIN, 0, {
          sender: await transaction.recoverSender(),
          wallet: to,
          amount: value,
          memo: toMemo(input),
        })
      : [];
  const isPaid = async ({ wallet }: Arrival) => isWallet(wallet, verifier, heads);
  const plain = await filter([...coin, ...tokens], isPaid);
  if (plain.length > 0 || side === 'ethereum' || input === '0x') return plain;
  const calls = await readCalls(readers.partner, transaction.hash, (all) =>
    all.flatMap((call, index) => (index > 0 && paysCoin(call) && call.value > 0n ? [{ ...call, index }] : [])),
  );
  const inner = calls.flatMap(({ from: sender, to: wallet, value: amount, input: data, index }) =>
    wallet === null ? [] : toArrival(COIN, index, { sender, wallet, amount, memo: toMemo(data) }),
  );
  return filter(inner, isPaid);
}

/** Whether an account is or was the relayer wallet. The contract names the current one, its events the others. */
async function isWallet(account: Address, verifier: Verifier, heads: Heads): Promise<boolean> {
  if ((await traceWallet(verifier, heads)) === account) return true;
  const { contract: address, deployedAtBlock: fromBlock } = verifier.settings.partner;
  const query = { address, topics: RELAYER_CHANGED, fromBlock, toBlock: heads.partner.number };
  return (await verifier.readers.partner.logs(query, heads.partner)).some((log) => decodeRelayer(log) === account);
}

async function filter<T>(items: readonly T[], keep: (item: T) => Promise<boolean>): Promise<T[]> {
  const kept = await Promise.all(items.map(keep));
  return items.filter((_, index) => kept[index]);
}

function toMemo(data: Hex): Hex | null {
  return size(data) === 32 ? data : null;
}

function toAddress(word: Hex): Address {
  return `0x${word.slice(-40)}`;
}
