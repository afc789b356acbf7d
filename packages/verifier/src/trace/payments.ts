import { bridgeLockAbi, bridgeMintAbi } from '@causeway/contracts/abi';
import { concatHex, decodeFunctionData, numberToHex, toEventSelector, type Address, type Hex } from 'viem';
import { decodePaid, getSelectors, type PaidEvent } from '../blocks/events.js';
import type { Transaction } from '../blocks/transaction.js';
import { isUsedUp, type UsedUpView } from '../checks/paid-before.js';
import { computeFee } from '../checks/acceptance.js';
import { readContract } from '../checks/contract-reads.js';
import type { Side } from '../nodes/finality.js';
import type { Verifier } from '../verifier.js';
import { findTransaction, readPlaced, type Heads, type PlacedTransaction } from './heads.js';

/** The signed terms that a release of an intent executes, from its transaction's data. */
export interface ReleasedIntent {
  readonly sender: Address;
  readonly recipient: Address;
  readonly amount: bigint;
  readonly deadline: bigint;
  readonly nonceHash: Hex;
  readonly signature: Hex;
  /** The transfer that pays it: see `PaymentBeginning`. */
  readonly transferId: Hex;
}

/** A Mint, Release or Refunded event, proven by the roots of its block. */
export interface TracedPayment extends PaidEvent {
  readonly side: Side;
  readonly transactionHash: Hex;
  readonly blockNumber: bigint;
  /** Unix seconds of the block. */
  readonly timestamp: bigint;
  /** The recipient did not take it, and can claim it. */
  readonly isCredited: boolean;
  /** Null for anything but a direct call of `releaseIntent`. */
  readonly intent: ReleasedIntent | null;
}

/** Which payment is looked for. */
export interface PaymentQuestion {
  readonly side: Side;
  readonly name: PaidEvent['name'];
  /** The id of the operation or of the refund. */
  readonly id: Hex;
  /** The number of the operation; null for an intent, a refund, or when it is unknown. */
  readonly number: bigint | null;
  /** The transaction that is said to contain it: it spares a search. */
  readonly transactionHash: Hex | null;
}

const CREDITED = toEventSelector('Credited(bytes32,address,address,uint256)');
/** An intent is judged at most this many blocks before its payment: 40 minutes, with at most one block a second. */
const JUDGED_BLOCKS = 2_400n;
const POLICY_SET = getSelectors(bridgeMintAbi, ['FeePolicySet']);

/**
 * Finds the last payment of an operation or a refund.
 *
 * @returns null when it was not paid up to the head.
 * @throws NoQuorumError
 */
export async function tracePayment(
  question: PaymentQuestion,
  verifier: Verifier,
  heads: Heads,
): Promise<TracedPayment | null> {
  const { side, id, transactionHash } = question;
  if (transactionHash !== null) {
    const named = await findTransaction(verifier, side, transactionHash, heads);
    const payment = named === null ? null : readPayment(named, question, verifier);
    if (payment !== null) return payment;
  }
  const view = toView(question);
  if (view !== null && !(await isUsedUp(verifier, side, view, heads))) return null;
  const { contract: address, deployedAtBlock: fromBlock } = verifier.settings[side];
  const topics = getSelectors(side === 'ethereum' ? bridgeLockAbi : bridgeMintAbi, [question.name]);
  const query = { address, topics, indexed: [id], fromBlock, toBlock: heads[side].number };
  const log = (await verifier.readers[side].logs(query, heads[side])).at(-1);
  const placed = log === undefined ? null : await readPlaced(verifier, side, log);
  return placed === null ? null : readPayment(placed, question, verifier);
}

function toView({ name, id, number }: PaymentQuestion): UsedUpView | null {
  if (name === 'Refunded') return { functionName: 'isRefunded', argument: id };
  if (name === 'Mint') return number === null ? null : { functionName: 'isMinted', argument: number };
  return number === null
    ? { functionName: 'isIntentReleased', argument: id }
    : { functionName: 'isReleased', argument: number };
}

function readPayment(
  { side, transaction, blockNumber, timestamp }: PlacedTransaction,
  { id, name }: PaymentQuestion,
  { settings }: Verifier,
): TracedPayment | null {
  const { contract } = settings[side];
  const logs = transaction.hasSucceeded ? transaction.logs.filter(({ address }) => address === contract) : [];
  const event = logs.map(decodePaid).find((paid) => paid?.id === id && paid.name === name);
  if (event === null || event === undefined) return null;
  const isCredited = logs.some(({ topics }) => topics[0] === CREDITED && topics[1] === id);
  const intent = readIntent(transaction, contract);
  return { ...event, side, transactionHash: transaction.hash, blockNumber, timestamp, isCredited, intent };
}

/** Reads the terms of an intent from the data of a call of `releaseIntent`; null for any other transaction. */
export function readIntent({ to, input }: Pick<Transaction, 'to' | 'input'>, contract: Address): ReleasedIntent | null {
  if (to !== contract) return null;
  try {
    const { functionName, args } = decodeFunctionData({ abi: bridgeLockAbi, data: input });
    if (functionName !== 'releaseIntent') return null;
    const [{ sender, recipient, ...terms }, transferId] = args;
    return { sender: lower(sender), recipient: lower(recipient), ...terms, transferId };
  } catch {
    // A function that the ABI does not have.
    return null;
  }
}

/** The fee policy of a token at a block. */
export interface TracedPolicy {
  readonly bps: number;
  /** The fee of an amount. */
  readonly toFee: (amount: bigint) => bigint;
  /** Whether it was the same in all blocks in which an intent that is paid in this block can have been judged. */
  readonly isSteady: boolean;
}

/**
 * Reads the fee policy of a token of the partner chain at a block.
 *
 * @throws NoQuorumError also when the nodes have dropped the state of the block.
 */
export async function tracePolicy(
  { readers, settings }: Verifier,
  token: Address,
  blockNumber: bigint,
): Promise<TracedPolicy> {
  const { contract: address, deployedAtBlock } = settings.partner;
  const header = await readers.partner.headerAt(blockNumber);
  const read = {
    address,
    abi: bridgeMintAbi,
    functionName: 'feePolicy',
    args: [token],
    blockHash: header.hash,
  } as const;
  const [bps, minFee, minAmount] = (await readContract(readers.partner, read)) as readonly [number, bigint, bigint];
  const since = blockNumber - JUDGED_BLOCKS;
  const fromBlock = since > deployedAtBlock ? since : deployedAtBlock;
  const query = { address, topics: POLICY_SET, indexed: [toWord(BigInt(token))], fromBlock, toBlock: blockNumber };
  const changes = await readers.partner.logs(query, header);
  const isSame = changes.every(
    ({ data }) => data === concatHex([toWord(BigInt(bps)), toWord(minFee), toWord(minAmount)]),
  );
  // The first policy follows none; any other one follows a policy that is not known here.
  const isSteady = isSame && (changes.length === 0 || fromBlock === deployedAtBlock);
  return { bps, toFee: (amount) => computeFee(amount, BigInt(bps), minFee), isSteady };
}

function toWord(value: bigint): Hex {
  return numberToHex(value, { size: 32 });
}

function lower(address: Address): Address {
  return address.toLowerCase() as Address;
}
