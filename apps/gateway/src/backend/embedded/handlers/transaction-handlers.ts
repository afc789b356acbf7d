import {
  PartnerChainError,
  type CallFrame,
  type PartnerChain,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import { Pauses } from '../../../turns/pauses.js';
import { Rows } from '../../../turns/rows.js';
import type { BlockParam } from '../block-param.js';
import type { CallTrees } from '../call-trees.js';
import { findBlockNumber } from '../find-block.js';
import { formatCallFrame } from '../format/format-call-frame.js';
import { formatReceipt } from '../format/format-receipt.js';
import { formatMined, formatTransaction } from '../format/format-transaction.js';
import { PENDING_BOUNDS } from '../pending-bounds.js';
import type { Handlers } from './handlers.js';

/** What `debug_traceTransaction` may be told; the gateway lets no other tracer through. */
interface TraceOptions {
  readonly tracerConfig?: { readonly onlyTopCall?: boolean };
}

interface Mined {
  readonly block: StoredBlock;
  readonly transaction: StoredTransaction;
}

/** Transactions, their receipts and call trees. An unknown transaction is a null result. */
export function transactionHandlers(chain: PartnerChain, callTrees: CallTrees): Handlers {
  // A transaction has up to 128 KiB.
  const rows = new Rows();
  const at = (blockNumber: number | null, index: Hex): Mined | null => {
    const block = blockNumber === null ? null : chain.reader.block(blockNumber);
    const position = BigInt(index);
    if (block === null || position > 0xffff_ffffn) return null;
    const transaction = chain.reader.transactionAt(block.header.number, Number(position));
    return transaction === null ? null : { block, transaction };
  };
  const mined = (hash: Hex): Mined | null => {
    const place = chain.reader.place(hexToBytes(hash));
    return place === null ? null : at(place.blockNumber, `0x${place.index.toString(16)}`);
  };

  return {
    eth_sendRawTransaction: (raw: Hex) => chain.submit(hexToBytes(raw)),
    eth_getTransactionByHash: async (hash: Hex) => {
      const found = await rows.run(() => format(mined(hash)));
      if (found !== null) return found;
      const waiting = await chain.pendingTransaction(hash);
      // It may have moved from the pool to a block between the two looks.
      return await rows.run(() => (waiting === null ? format(mined(hash)) : formatTransaction(waiting, null)));
    },
    eth_getTransactionByBlockHashAndIndex: (blockHash: Hex, index: Hex) =>
      rows.run(() => format(at(findBlockNumber(chain, { blockHash }), index))),
    eth_getTransactionByBlockNumberAndIndex: async (param: BlockParam, index: Hex) => {
      if (param !== 'pending') return await rows.run(() => format(at(findBlockNumber(chain, param), index)));
      if (BigInt(index) >= BigInt(PENDING_BOUNDS.transactions)) return null;
      const waiting = await chain.pendingTransactionAt(Number(index), PENDING_BOUNDS);
      return waiting === null ? null : await rows.run(() => formatTransaction(waiting, null));
    },
    eth_getTransactionReceipt: async (hash: Hex) => {
      const found = await rows.run(() => mined(hash));
      if (found === null) return null;
      const receipt = chain.reader.receiptRecord(found.transaction.blockNumber, found.transaction.index);
      return receipt === null ? null : await formatReceipt({ ...found, receipt }, chain.reader, new Pauses());
    },
    debug_traceTransaction: (hash: Hex, options: TraceOptions | undefined) => {
      const found = mined(hash);
      const calls = found === null ? null : callTrees.get(found.transaction.blockNumber, found.transaction.index);
      if (calls === null) throw new PartnerChainError('NOT_FOUND', `no transaction ${hash} is mined`);
      const isDeep = options?.tracerConfig?.onlyTopCall !== true;
      if (calls.outputOmitted === true || (isDeep && calls.omitted !== undefined)) throw notKept(hash, calls);
      return formatCallFrame(calls, isDeep);
    },
  };
}

/** Trying again does not help, and the error must not say so. */
function notKept(hash: Hex, { outputOmitted }: CallFrame): PartnerChainError {
  const kept = `GET /api/v1/contracts/results/${hash}/actions has the part that was kept`;
  const hint = outputOmitted === true ? kept : `${kept}, onlyTopCall the outermost call`;
  return new PartnerChainError(
    'NOT_FOUND',
    `the call tree was too large to be kept whole and never will be available; ${hint}`,
  );
}

function format(found: Mined | null): Readonly<Record<string, unknown>> | null {
  return found === null ? null : formatMined(found.transaction, found.block);
}
