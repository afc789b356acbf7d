import {
  decodeErrorResult,
  TransactionNotFoundError,
  TransactionReceiptNotFoundError,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
  type Transaction,
  type TransactionReceipt,
} from 'viem';
import { lower } from '../blocks/rpc-shapes.js';
import type { VerifiedLog } from '../blocks/verified-block.js';
import type { ChainConnection } from '../nodes/chain-connection.js';
import { askNode, InconsistentBlockError } from '../rpc/chain-error.js';
import { findRevertData } from './simulate.js';

/** A mined transaction that a quorum of nodes agrees on. Addresses and hashes lower-case, `value` in wei. */
export interface MinedTransaction {
  readonly hash: Hex;
  readonly from: Address;
  /** Null for a contract creation. */
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
  readonly succeeded: boolean;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
  readonly timestampSeconds: bigint;
  /** The highest block that a quorum has reached. */
  readonly headBlock: bigint;
  /** Logs of the requested contracts, in log order. */
  readonly logs: readonly VerifiedLog[];
}

/** The result of a search by hash. `pending`: a node has the transaction, but no quorum has it in a block. */
export type FoundTransaction = MinedTransaction | 'pending' | 'unknown';

/** The error with which a contract reverts. `args` as viem decodes them. */
export interface DecodedRevert {
  readonly errorName: string;
  readonly args: readonly unknown[];
}

type Nodes = Pick<ChainConnection, 'agree' | 'agreedHead' | 'agreedBlock'>;
/** The fields that are equal in the answers of all honest nodes. */
type SeenTransaction = Omit<MinedTransaction, 'timestampSeconds' | 'headBlock'>;

/**
 * Finds a transaction by its hash. A quorum must agree on its receipt and block, or on its absence. For a pending
 * transaction a single node is enough, because pools differ. Sends at most four requests to a node.
 *
 * @param contracts the contracts whose logs are returned.
 * @throws QuorumError; InconsistentBlockError if the nodes switch to another branch between the requests.
 */
export async function findTransaction(
  nodes: Nodes,
  hash: Hex,
  contracts: readonly Address[],
): Promise<FoundTransaction> {
  let isKnown = false;
  const seen = await nodes.agree(async (client) => {
    const [receipt, transaction] = await Promise.all([
      nullIfNotFound(client.getTransactionReceipt({ hash })),
      nullIfNotFound(client.getTransaction({ hash })),
    ]);
    if (transaction !== null) isKnown = true;
    return receipt === null || transaction === null ? null : toSeen(receipt, transaction, contracts);
  });
  if (seen === null) return isKnown ? 'pending' : 'unknown';
  const [block, headBlock] = await Promise.all([nodes.agreedBlock(seen.blockNumber), nodes.agreedHead()]);
  if (block?.hash !== seen.blockHash)
    throw new InconsistentBlockError(seen.blockNumber, `it is ${block?.hash}, but ${hash} is in ${seen.blockHash}`);
  return { ...seen, timestampSeconds: block.timestampSeconds, headBlock };
}

/**
 * Finds an account's transaction by its nonce, by a binary search in a range of blocks, whose state the nodes must
 * have.
 *
 * @param range blocks up to the transaction's block or a later one.
 * @returns null if the account used the nonce without its own transaction, or before the range.
 * @throws ChainError if the nodes do not have the state, or disagree.
 */
export async function findTransactionByNonce(
  nodes: Nodes,
  address: Address,
  nonce: bigint,
  range: { readonly from: bigint; readonly to: bigint },
): Promise<MinedTransaction | null> {
  let [low, high] = [range.from, range.to];
  while (low < high) {
    const middle = (low + high) / 2n;
    const count = await nodes.agree((client) =>
      askNode(() => client.getTransactionCount({ address, blockNumber: middle })),
    );
    if (BigInt(count) > nonce) high = middle;
    else low = middle + 1n;
  }
  const hash = await nodes.agree(async (client) => {
    const { transactions } = await askNode(() => client.getBlock({ blockNumber: low, includeTransactions: true }));
    const sent = transactions.find((each) => lower(each.from) === lower(address) && BigInt(each.nonce) === nonce);
    return sent?.hash ?? null;
  });
  const found = hash === null ? null : await findTransaction(nodes, hash, []);
  return typeof found === 'string' ? null : found;
}

/**
 * Repeats a reverted call on the state before its block.
 *
 * @returns the error of the ABI that a quorum of nodes returns; null if the call succeeds there, or the error is
 * unknown.
 */
export async function findRevertReason(
  nodes: Pick<ChainConnection, 'agree'>,
  { from: account, to, value, input: data, blockNumber }: MinedTransaction,
  abi: Abi,
): Promise<DecodedRevert | null> {
  if (to === null || blockNumber === 0n) return null;
  const at = blockNumber - 1n;
  const repeat = async (client: PublicClient): Promise<DecodedRevert | null> => {
    try {
      await client.call({ account, to, data, value, blockNumber: at });
      return null;
    } catch (error) {
      const returned = findRevertData(error);
      if (returned === null) throw error;
      const { errorName, args } = decodeErrorResult({ abi, data: returned });
      return { errorName, args: args ?? [] };
    }
  };
  // Pruned state, or an error that the ABI lacks: callers can do without the reason.
  return nodes.agree(repeat).catch(() => null);
}

function toSeen(
  receipt: TransactionReceipt,
  { value, input }: Transaction,
  contracts: readonly Address[],
): SeenTransaction {
  const watched = new Set(contracts.map(lower));
  const logs = receipt.logs.filter(({ address }) => watched.has(lower(address)));
  return {
    hash: receipt.transactionHash,
    from: lower(receipt.from),
    to: receipt.to === null ? null : lower(receipt.to),
    value,
    input: lower(input),
    succeeded: receipt.status === 'success',
    blockNumber: receipt.blockNumber,
    blockHash: lower(receipt.blockHash),
    logs: logs.map(({ address, topics, data, logIndex, transactionHash }) => ({
      address: lower(address),
      topics: topics.map(lower),
      data: lower(data),
      logIndex,
      transactionHash,
    })),
  };
}

async function nullIfNotFound<T>(request: Promise<T>): Promise<T | null> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof TransactionReceiptNotFoundError || error instanceof TransactionNotFoundError) return null;
    throw error;
  }
}
