import { size, type Address, type Hex, type PublicClient } from 'viem';
import { InconsistentBlockError } from '../rpc/chain-error.js';
import { readHeader } from './header.js';
import { readVerifiedReceipts } from './receipts.js';
import type { RpcBlock, RpcHeader, RpcReceipt } from './rpc-shapes.js';
import { assertTransactionHash, readBlock, recoverSender, verifyTransactions } from './transactions.js';
import { lowerCased, getMatcher, type LogMatcher, type Watch } from './watch.js';

/** Blocks requested concurrently. */
const CONCURRENCY = 20;

interface ReadOptions {
  /** Blocks requested concurrently. */
  readonly concurrency?: number;
  /** See `readVerifiedBlock`. */
  readonly pieces?: number | null;
}

/** A log of a watched contract. Hex in lower case. */
export interface VerifiedLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  /** Position within the block. */
  readonly logIndex: number;
  readonly transactionHash: Hex;
}

/** A successful top-level transaction that pays native coin to a watched receiver. `value` in wei of the RPC. */
interface NativeTransfer {
  readonly transactionHash: Hex;
  /** Recovered from the signature. */
  readonly from: Address;
  readonly to: Address;
  readonly value: bigint;
  /** The data of the transaction if it is exactly 32 bytes, else null. */
  readonly memo: Hex | null;
  /** Account nonce of the payer; a replacement transaction has the same nonce. `readVerifiedBlock` always sets it. */
  readonly nonce?: bigint;
}

/** A verified block with its watched logs and transfers. */
export interface VerifiedBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly timestampSeconds: bigint;
  /** In block order. */
  readonly logs: readonly VerifiedLog[];
  readonly transfers: readonly NativeTransfer[];
}

/** The fields of a block that the pipeline stores. */
export type BlockContent = Omit<VerifiedBlock, 'parentHash'>;

/**
 * Reads a block and uses only data that its hash commits to, so that logs and payments cannot be invented, altered or
 * omitted.
 *
 * - The hash is computed from the header.
 * - The transactions must give the transactions root if receivers are watched or a watched contract may have logged.
 * - The receipts must give the receipts root if the bloom matches a watched contract or a transaction pays a watched
 *   receiver. So a failed payment cannot pass as a successful one.
 *
 * A verified header does not prove that its block stays on the chain: confirmations are for that.
 *
 * Without watched receivers, a block whose bloom does not match costs only its header.
 *
 * @param pieces how many transactions or receipts to request concurrently; null to request the block in one answer.
 * @returns null if the node does not have a block with this number yet.
 * @throws InconsistentBlockError naming the contradiction; UnsupportedTransactionError, NodeUnavailableError,
 * NodeRefusedError, AnswerTooLargeError.
 */
export async function readVerifiedBlock(
  client: PublicClient,
  number: bigint,
  watch: Watch,
  pieces: number | null = null,
): Promise<VerifiedBlock | null> {
  const receivers = lowerCased(watch.receivers ?? []);
  const matcher = getMatcher(watch);
  const mayHaveLogged = ({ logsBloom }: RpcHeader) => matcher.mayHave(logsBloom);
  if (receivers.size === 0) {
    const header = await readHeader(client, number);
    if (header === null) return null;
    if (!mayHaveLogged(header)) return { ...toPlace(header), logs: [], transfers: [] };
  }
  const block = await readBlock(client, number, pieces);
  if (block === null) return null;
  const encoded = await verifyTransactions(block);
  const logged = mayHaveLogged(block);
  const paying = payments(block, receivers);
  const receipts = logged || paying.length > 0 ? await readVerifiedReceipts(client, block, pieces) : [];
  return {
    ...toPlace(block),
    logs: logged ? watchedLogs(number, receipts, encoded, matcher) : [],
    transfers: successfulTransfers(number, paying, receipts, encoded),
  };
}

/**
 * Reads the blocks `from` to `to` (inclusive) and checks the parent links between them. Returns fewer blocks if the
 * node does not have all of them.
 *
 * @throws InconsistentBlockError if a block is not the child of the previous one; the errors of `readVerifiedBlock`.
 */
export async function readVerifiedBlocks(
  client: PublicClient,
  from: bigint,
  to: bigint,
  watch: Watch,
  { concurrency = CONCURRENCY, pieces = null }: ReadOptions = {},
): Promise<VerifiedBlock[]> {
  if (!Number.isInteger(concurrency) || concurrency < 1)
    throw new RangeError(`concurrency ${concurrency} is invalid: use an integer of 1 or more`);
  const blocks: VerifiedBlock[] = [];
  for (let start = from; start <= to; start += BigInt(concurrency)) {
    const count = Math.min(concurrency, Number(to - start + 1n));
    const numbers = Array.from({ length: count }, (_, index) => start + BigInt(index));
    const read = await Promise.all(numbers.map((number) => readVerifiedBlock(client, number, watch, pieces)));
    for (const block of read) {
      if (block === null) return blocks;
      const previous = blocks.at(-1);
      if (previous !== undefined && block.parentHash !== previous.hash) {
        throw new InconsistentBlockError(
          block.number,
          `its parent is ${block.parentHash}, but block ${previous.number} is ${previous.hash}`,
        );
      }
      blocks.push(block);
    }
  }
  return blocks;
}

function toPlace({ number, hash, parentHash, timestamp }: RpcHeader) {
  return { number: BigInt(number), hash, parentHash, timestampSeconds: BigInt(timestamp) };
}

type Payment = RpcBlock['transactions'][number] & { readonly index: number; readonly to: Address };

function payments(block: RpcBlock, receivers: ReadonlySet<Hex>): Payment[] {
  return block.transactions.flatMap((transaction, index) =>
    transaction.to && receivers.has(transaction.to) && BigInt(transaction.value) > 0n
      ? [{ ...transaction, index, to: transaction.to }]
      : [],
  );
}

function watchedLogs(
  number: bigint,
  receipts: readonly RpcReceipt[],
  encoded: readonly Hex[],
  matcher: LogMatcher,
): VerifiedLog[] {
  return receipts.flatMap((receipt, index) => {
    const logs = receipt.logs.filter((log) => matcher.matches(log));
    if (logs.length > 0) assertTransactionHash(number, encoded[index] ?? '0x', receipt.transactionHash);
    return logs.map(({ address, topics, data, logIndex, transactionHash }) => ({
      address,
      topics,
      data,
      logIndex: Number(logIndex),
      transactionHash,
    }));
  });
}

function successfulTransfers(
  number: bigint,
  paying: readonly Payment[],
  receipts: readonly RpcReceipt[],
  encoded: readonly Hex[],
): NativeTransfer[] {
  const transfers: NativeTransfer[] = [];
  for (const payment of paying) {
    const { index, hash, to, value, nonce, input } = payment;
    if (BigInt(receipts[index]?.status ?? '0x0') !== 1n) continue;
    assertTransactionHash(number, encoded[index] ?? '0x', hash);
    const from = recoverSender(number, payment);
    const memo = size(input) === 32 ? input : null;
    transfers.push({ transactionHash: hash, from, to, value: BigInt(value), memo, nonce: BigInt(nonce) });
  }
  return transfers;
}
