import type { Address, Hex } from 'viem';
import { EMPTY_ROOT } from '../blocks/trie.js';
import { paysCoin, readCalls } from '../checks/payment.js';
import { computeRefundId } from '../digests/ids.js';
import { readProvenBlock, type ProvenTransaction } from '../nodes/proven-block.js';
import { NoQuorumError, type QuorumReader } from '../nodes/quorum-reader.js';
import { COIN } from '../settings.js';
import type { Verifier } from '../verifier.js';
import type { ArrivedTransfer } from './intents.js';

/** A transfer to a relayer wallet whose sender is asked for. */
interface PayerQuestion {
  readonly transferId: Hex;
  /** The block of its sweep. */
  readonly sweptAt: bigint;
}

type FoundTransaction = ProvenTransaction & { readonly blockNumber: bigint; readonly timestamp: bigint };

/** Blocks before a sweep in which payments by contracts are searched, which cost a trace of each transaction. */
const TRACED_BLOCKS = 300n;
const AT_A_TIME = 16;

/**
 * Finds transfers of coin by their ids, backwards from their sweeps. An id is made from the place of its transfer, so
 * blocks are read until it appears. Blocks are proven by their roots; payments by contracts are a quorum's word.
 *
 * @param wallets the relayer wallets, to which the transfers went.
 * @param most the blocks to search before a sweep.
 * @param found receives all transfers that appear, by id.
 * @throws NoQuorumError
 */
export async function findPayers(
  verifier: Verifier,
  questions: readonly PayerQuestion[],
  {
    wallets,
    most,
    found,
  }: { readonly wallets: readonly Address[]; readonly most: bigint; readonly found: Map<Hex, ArrivedTransfer | null> },
): Promise<void> {
  const search = new PayerSearch(verifier, new Set(wallets), found);
  await search.run(questions, most, (transaction) => search.readTransfer(transaction));
  const left = questions.filter(({ transferId }) => !found.has(transferId));
  const traced = most < TRACED_BLOCKS ? most : TRACED_BLOCKS;
  try {
    await search.run(left, traced, async (transaction) => search.readCalls(transaction));
  } catch (error) {
    // Many nodes trace no transactions. Then these payers stay unknown.
    if (!(error instanceof NoQuorumError)) throw error;
  }
}

/** Most blocks are empty, and their headers say so. */
async function readTransactions(reader: QuorumReader, blockNumber: bigint): Promise<readonly FoundTransaction[]> {
  const { transactionsRoot, timestamp } = await reader.headerAt(blockNumber);
  if (transactionsRoot === EMPTY_ROOT) return [];
  const { transactions } = await readProvenBlock(reader, blockNumber);
  return transactions.map((transaction) => ({ ...transaction, blockNumber, timestamp }));
}

class PayerSearch {
  constructor(
    private readonly verifier: Verifier,
    private readonly wallets: ReadonlySet<Address>,
    private readonly found: Map<Hex, ArrivedTransfer | null>,
  ) {}

  /** Reads blocks downwards, some at a time, while a transfer is open whose sweep is not far above. */
  async run(
    questions: readonly PayerQuestion[],
    most: bigint,
    read: (transaction: FoundTransaction) => Promise<void>,
  ): Promise<void> {
    const { readers, settings } = this.verifier;
    const isOpen = ({ transferId }: PayerQuestion) => !this.found.has(transferId);
    let number = questions.reduce((last, { sweptAt }) => (sweptAt > last ? sweptAt : last), 0n);
    while (number >= settings.partner.deployedAtBlock) {
      const open = questions.filter(isOpen);
      if (open.length === 0) return;
      const near = open.filter(({ sweptAt }) => sweptAt >= number && number > sweptAt - most);
      if (near.length === 0) {
        const next = open.reduce((last, { sweptAt }) => (sweptAt < number && sweptAt > last ? sweptAt : last), -1n);
        if (next < 0n) return;
        number = next;
        continue;
      }
      const numbers = Array.from({ length: AT_A_TIME }, (_, index) => number - BigInt(index));
      const known = numbers.filter((one) => one >= settings.partner.deployedAtBlock);
      const transactions = await Promise.all(known.map(async (one) => readTransactions(readers.partner, one)));
      for (const transaction of transactions.flat()) if (transaction.hasSucceeded) await read(transaction);
      number -= BigInt(AT_A_TIME);
    }
  }

  async readTransfer({ hash, to, value, recoverSender, ...place }: FoundTransaction): Promise<void> {
    if (to === null || value === 0n || !this.wallets.has(to)) return;
    const { blockNumber, timestamp } = place;
    this.found.set(this.toId(hash, 0), { blockNumber, timestamp, sender: await recoverSender(), amount: value });
  }

  async readCalls({ hash, input, blockNumber, timestamp }: FoundTransaction): Promise<void> {
    if (input === '0x') return;
    const payments = await readCalls(this.verifier.readers.partner, hash, (calls) =>
      calls.flatMap((call, index) =>
        index > 0 && paysCoin(call) && call.to !== null && this.wallets.has(call.to) ? [{ ...call, index }] : [],
      ),
    );
    for (const { from: sender, value: amount, index } of payments)
      this.found.set(this.toId(hash, index), { blockNumber, timestamp, sender, amount });
  }

  private toId(transactionHash: Hex, callIndex: number): Hex {
    const { settings } = this.verifier;
    const asset = settings.assets.find(({ tokens }) => tokens.partner === COIN)?.symbol ?? '';
    return computeRefundId({ chainId: settings.partner.chainId, transactionHash, asset, callIndex });
  }
}
