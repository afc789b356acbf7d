import { type ChainReader, type PartnerChain, type StoredBlock, type StoredTransaction } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import { findBlockNumber, PENDING_BOUNDS, type BlockParam } from './block-handlers.js';
import { formatMined, formatReceipt, formatTransaction, type RpcObject } from './format-transactions.js';

interface Mined {
  readonly block: StoredBlock;
  readonly transaction: StoredTransaction;
}

/** Finds a transaction by its hash; null if it is not in a block. */
export function findMined(reader: ChainReader, hash: Hex): Mined | null {
  const place = reader.place(hexToBytes(hash));
  return place === null ? null : minedAt(reader, place.blockNumber, place.index);
}

function minedAt(reader: ChainReader, blockNumber: number | null, index: number): Mined | null {
  const block = blockNumber === null ? null : reader.block(blockNumber);
  if (block === null || index > 0xffff_ffff) return null;
  const transaction = reader.transactionAt(block.header.number, index);
  return transaction === null ? null : { block, transaction };
}

/** Methods about transactions and their receipts. An unknown transaction is a null result. */
export function transactionHandlers(chain: PartnerChain) {
  const { reader } = chain;
  const at = (blockNumber: number | null, index: Hex): RpcObject | null =>
    format(minedAt(reader, blockNumber, Number(index)));

  return {
    eth_sendRawTransaction: async (raw: Hex) => {
      const hash = await chain.submit(hexToBytes(raw));
      // ethers requests the receipt immediately, caches a missing one for 250 ms, and retries at the next block.
      // Without another block it would wait forever.
      await chain.mined(hash);
      return hash;
    },
    eth_getTransactionByHash: async (hash: Hex) => {
      const found = format(findMined(reader, hash));
      if (found !== null) return found;
      const pending = await chain.pendingTransaction(hash);
      // The transaction can move from the pool to a block between the two lookups.
      return pending === null ? format(findMined(reader, hash)) : formatTransaction(pending, null);
    },
    eth_getTransactionByBlockHashAndIndex: (blockHash: Hex, index: Hex) =>
      at(findBlockNumber(chain, { blockHash }), index),
    eth_getTransactionByBlockNumberAndIndex: async (param: BlockParam, index: Hex) => {
      if (param !== 'pending') return at(findBlockNumber(chain, param), index);
      if (Number(index) >= PENDING_BOUNDS.transactions) return null;
      const pending = await chain.pendingTransactionAt(Number(index), PENDING_BOUNDS);
      return pending === null ? null : formatTransaction(pending, null);
    },
    eth_getTransactionReceipt: (hash: Hex) => {
      const found = findMined(reader, hash);
      if (found === null) return null;
      const receipt = reader.receiptRecord(found.transaction.blockNumber, found.transaction.index);
      return receipt === null ? null : formatReceipt(found.block, found.transaction, receipt, reader);
    },
  };
}

function format(found: Mined | null): RpcObject | null {
  return found === null ? null : formatMined(found.transaction, found.block);
}
