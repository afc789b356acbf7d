import { setImmediate } from 'node:timers/promises';
import { encodeReceipt, PartnerChainError, type PartnerChain } from '@causeway/partner-chain';
import { fromRlp, toRlp, type Hex } from 'viem';
import { findBlock, requireBlockNumber, type BlockParam } from './block-handlers.js';
import { MANY_LOGS } from './call-scheduler.js';
import { hex } from './format-transactions.js';
import { findMined } from './transaction-handlers.js';

/** Methods that return blocks and their content in encoded form (execution-apis, debug namespace). */
export function rawHandlers(chain: PartnerChain) {
  const { reader } = chain;
  const requireBlock = (param: BlockParam) => {
    const block = findBlock(chain, param);
    if (block === null) throw new PartnerChainError('NOT_FOUND', 'the block does not exist');
    return block;
  };
  return {
    debug_getRawHeader: (param: BlockParam) => hex(requireBlock(param).encodedHeader),
    debug_getRawBlock: (param: BlockParam) => {
      const { header, encodedHeader } = requireBlock(param);
      // A block contains a legacy transaction as a list, and one of another type as bytes (EIP-2718).
      const transactions = reader
        .transactions(header.number)
        .map(({ raw }) => ((raw[0] ?? 0) >= 0xc0 ? fromRlp(raw, 'hex') : hex(raw)));
      return toRlp([fromRlp(encodedHeader, 'hex'), transactions, [], []]);
    },
    debug_getRawReceipts: async (param: BlockParam) => {
      const blockNumber = requireBlockNumber(chain, param);
      const receipts: Hex[] = [];
      for (let receipt = reader.receipt(blockNumber, 0); receipt !== null;) {
        receipts.push(hex(encodeReceipt(receipt)));
        // A block can have a hundred thousand logs.
        if (receipt.logs.length > MANY_LOGS) await setImmediate();
        receipt = reader.receipt(blockNumber, receipts.length);
      }
      return receipts;
    },
    debug_getRawTransaction: async (hash: Hex) => {
      const found = findMined(reader, hash);
      if (found !== null) return hex(found.transaction.raw);
      const pending = await chain.pendingTransaction(hash);
      return pending === null ? '0x' : hex(pending.raw);
    },
  };
}
