import type { CallFrame, ChainReader, ReceiptRecord, StoredBlock, StoredTransaction } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import type { CallTrees } from '../backends/embedded/call-trees.js';

/** A mined transaction with all that came of it but its logs, which may be tens of thousands. */
export interface MinedTransaction {
  readonly block: StoredBlock;
  readonly transaction: StoredTransaction;
  readonly receipt: ReceiptRecord;
  readonly calls: CallFrame;
}

/** Finds a transaction by its hash; null if it is not in a block. */
export function findMinedTransaction(reader: ChainReader, callTrees: CallTrees, hash: Hex): MinedTransaction | null {
  const place = reader.place(hexToBytes(hash));
  if (place === null) return null;
  const { blockNumber, index } = place;
  const block = reader.block(blockNumber);
  const transaction = reader.transactionAt(blockNumber, index);
  const receipt = reader.receiptRecord(blockNumber, index);
  const calls = callTrees.get(blockNumber, index);
  // A block is written whole: one part that is missing would be a fault of the chain's.
  if (block === null || transaction === null || receipt === null || calls === null) {
    throw new Error(`Transaction ${hash} is not whole in block ${blockNumber}`);
  }
  return { block, transaction, receipt, calls };
}
