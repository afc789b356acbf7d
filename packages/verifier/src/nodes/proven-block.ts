import type { Hex } from 'viem';
import type { Header } from '../blocks/header.js';
import { BadAnswerError, readList, readObject } from '../blocks/json.js';
import { decodeReceipt, encodeReceipt, type Log, type Receipt } from '../blocks/receipt.js';
import { buildIndexTrie, verifyReceiptProof, type MerklePath } from '../blocks/trie.js';
import { decodeTransaction, encodeTransaction, type Transaction } from '../blocks/transaction.js';
import type { Ask, QuorumReader } from './quorum-reader.js';

/** A transaction of a proven block. */
export interface ProvenTransaction extends Transaction {
  /** Its position in the block, which is its key in the receipts trie. */
  readonly index: number;
  readonly hasSucceeded: boolean;
  /** Numbered across the block. */
  readonly logs: readonly Log[];
  /** From the receipts root of the header to its receipt. */
  readonly receiptPath: MerklePath;
  /** Finds the path from the transactions root of the header to the transaction. */
  readonly findPath: () => MerklePath;
}

/** A block whose contents are all proven by a header that a quorum of nodes agrees on. */
export interface ProvenBlock {
  readonly header: Header;
  readonly transactions: readonly ProvenTransaction[];
}

/**
 * Reads a block: the header by a quorum; transactions and receipts from one node, which must match the header's roots.
 * If they do not, the next node is asked.
 *
 * @throws NoQuorumError
 */
export async function readProvenBlock(reader: QuorumReader, number: bigint): Promise<ProvenBlock> {
  const header = await reader.headerAt(number);
  return reader.fromAnyNode(`the content of block ${number}`, async (ask) => {
    const block = readObject(await ask('eth_getBlockByHash', [header.hash, true]), 'block');
    const encoded = readList(block['transactions'], 'transactions').map(encodeTransaction);
    const { root, findPath } = buildIndexTrie(encoded);
    if (root !== header.transactionsRoot) throw new BadAnswerError('the transactions do not match their root');
    const transactions = encoded.map(decodeTransaction);
    const receipts = await readReceipts(ask, header.hash, transactions);
    const trie = buildIndexTrie(receipts);
    if (trie.root !== header.receiptsRoot || receipts.length !== transactions.length)
      throw new BadAnswerError('the receipts do not match their root');
    let logIndex = 0;
    return {
      header,
      transactions: transactions.map((transaction, index) => {
        const receiptPath = trie.findPath(index);
        const { hasSucceeded, logs } = decodeReceipt(verifyReceiptProof(header.receiptsRoot, index, receiptPath));
        const first = logIndex;
        logIndex += logs.length;
        return {
          ...transaction,
          index,
          hasSucceeded,
          logs: numberLogs(logs, first),
          receiptPath,
          findPath: () => findPath(index),
        };
      }),
    };
  });
}

function numberLogs(logs: Receipt['logs'], first: number): Log[] {
  return logs.map((log, position) => ({ ...log, logIndex: first + position }));
}

/** All receipts in one answer, or one by one from a node without that method. */
async function readReceipts(ask: Ask, blockHash: Hex, transactions: readonly Transaction[]): Promise<Hex[]> {
  if (transactions.length === 0) return [];
  let answers: readonly unknown[];
  try {
    answers = readList(await ask('eth_getBlockReceipts', [blockHash]), 'receipts');
  } catch {
    answers = await Promise.all(transactions.map(async ({ hash }) => ask('eth_getTransactionReceipt', [hash])));
  }
  return answers.map(encodeReceipt);
}
