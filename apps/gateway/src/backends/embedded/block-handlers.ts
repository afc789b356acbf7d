import { setImmediate } from 'node:timers/promises';
import type { PartnerChain, StoredBlock } from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { findBlock, PENDING_BOUNDS, type BlockParam } from './block-lookup.js';
import { MANY_LOGS } from './call-scheduler.js';
import { FormattedBlocks, formatPendingBlock } from './format-blocks.js';
import { formatReceipt } from './format-receipts.js';
import { quantity } from './hex.js';

/** Methods about blocks and their counts. An unknown block is a null result, as every client expects. */
export function blockHandlers(chain: PartnerChain) {
  const blocks = new FormattedBlocks(chain);
  const byHash = (blockHash: Hex): StoredBlock | null => findBlock(chain, { blockHash });
  const transactionCount = (block: StoredBlock | null): Hex | null =>
    block === null ? null : quantity(blocks.get(block, false).transactions.length);
  const uncleCount = (block: StoredBlock | null): Hex | null => (block === null ? null : '0x0');

  return {
    eth_blockNumber: () => quantity(chain.headNumber()),
    eth_getBlockByNumber: async (param: BlockParam, isFull: boolean) => {
      if (param === 'pending')
        return formatPendingBlock(headOf(chain), await chain.pendingTransactions(PENDING_BOUNDS), isFull);
      const block = findBlock(chain, param);
      return block === null ? null : blocks.get(block, isFull);
    },
    eth_getBlockByHash: (hash: Hex, isFull: boolean) => {
      const block = byHash(hash);
      return block === null ? null : blocks.get(block, isFull);
    },
    // Never cut: readers check the receipts against the receipts root. The block gas limit bounds the logs.
    eth_getBlockReceipts: async (param: BlockParam) => {
      const block = param === 'pending' ? null : findBlock(chain, param);
      if (block === null) return null;
      const receipts = chain.reader.receiptRecords(block.header.number);
      const formatted: unknown[] = [];
      for (const [index, transaction] of chain.reader.transactions(block.header.number).entries()) {
        const receipt = receipts[index];
        if (receipt === undefined) continue;
        formatted.push(formatReceipt({ block, transaction, receipt }, chain.reader));
        // A block may have 160,000 logs, and 10,000 take about 50 ms: other calls go in between.
        if (receipt.logCount > MANY_LOGS) await setImmediate();
      }
      return formatted;
    },
    eth_getBlockTransactionCountByHash: (hash: Hex) => transactionCount(byHash(hash)),
    eth_getBlockTransactionCountByNumber: async (param: BlockParam) =>
      param === 'pending'
        ? quantity(await chain.pendingCount(PENDING_BOUNDS))
        : transactionCount(findBlock(chain, param)),
    eth_getUncleCountByBlockHash: (hash: Hex) => uncleCount(byHash(hash)),
    eth_getUncleCountByBlockNumber: (param: BlockParam) => uncleCount(findBlock(chain, param)),
    eth_getUncleByBlockHashAndIndex: () => null,
    eth_getUncleByBlockNumberAndIndex: () => null,
  };
}

function headOf(chain: PartnerChain): StoredBlock {
  const head = findBlock(chain, 'latest');
  if (head === null) throw new Error('The newest block is not there');
  return head;
}
