import type { PartnerChain, StoredBlock } from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { Pauses } from '../../turns/pauses.js';
import type { BlockParam } from '../block-param.js';
import { findBlock } from '../find-block.js';
import { formatReceipt } from '../format/format-receipt.js';
import { quantity } from '../format/quantity.js';
import type { FormattedBlocks } from '../formatted-blocks.js';
import { formatPendingBlock } from '../format/format-pending-block.js';
import { PENDING_BOUNDS } from '../pending-bounds.js';
import type { Handlers } from './handlers.js';

/** Blocks and what is counted in them. An unknown block is a null result, as every client expects. */
export function blockHandlers(chain: PartnerChain, blocks: FormattedBlocks): Handlers {
  const byHash = (blockHash: Hex): StoredBlock | null => findBlock(chain, { blockHash });
  const isPending = (param: BlockParam): boolean => param === 'pending';
  const transactionCount = (block: StoredBlock | null): Hex | null =>
    block === null ? null : quantity(blocks.get(block, false).transactions.length);
  const uncleCount = (block: StoredBlock | null): Hex | null => (block === null ? null : '0x0');

  return {
    eth_blockNumber: () => quantity(chain.headNumber()),
    eth_getBlockByNumber: async (param: BlockParam, isFull: boolean) => {
      if (isPending(param))
        return formatPendingBlock(headOf(chain), await chain.pendingTransactions(PENDING_BOUNDS), isFull);
      const block = findBlock(chain, param);
      return block === null ? null : blocks.get(block, isFull);
    },
    eth_getBlockByHash: (hash: Hex, isFull: boolean) => {
      const block = byHash(hash);
      return block === null ? null : blocks.get(block, isFull);
    },
    eth_getBlockReceipts: async (param: BlockParam) => {
      const block = isPending(param) ? null : findBlock(chain, param);
      if (block === null) return null;
      const receipts = chain.reader.receiptRecords(block.header.number);
      const pauses = new Pauses();
      const formatted: unknown[] = [];
      for (const [index, transaction] of chain.reader.transactions(block.header.number).entries()) {
        const receipt = receipts[index];
        if (receipt !== undefined) {
          formatted.push(await formatReceipt({ block, transaction, receipt }, chain.reader, pauses));
        }
        await pauses.after(1);
      }
      return formatted;
    },
    eth_getBlockTransactionCountByHash: (hash: Hex) => transactionCount(byHash(hash)),
    eth_getBlockTransactionCountByNumber: async (param: BlockParam) =>
      isPending(param) ? quantity(await chain.pendingCount(PENDING_BOUNDS)) : transactionCount(findBlock(chain, param)),
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
