import {
  PartnerChainError,
  WEI_PER_UNIT,
  type CallFrame,
  type ChainReader,
  type PartnerChain,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { hexToBytes, type Hex } from 'viem';
import { findBlockNumber, PENDING_BOUNDS, type BlockParam } from './block-handlers.js';
import { formatMined, formatReceipt, formatTransaction, quantity, type RpcObject } from './format-transactions.js';

/** Options of `debug_traceTransaction`; the gateway accepts no other tracer than callTracer. */
interface TraceOptions {
  readonly tracerConfig?: { readonly onlyTopCall?: boolean };
}

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

/** Methods about transactions, their receipts and call trees. An unknown transaction is a null result. */
export function transactionHandlers(chain: PartnerChain, callTrees: CallTrees) {
  const { reader } = chain;
  const at = (blockNumber: number | null, index: Hex): RpcObject | null =>
    format(minedAt(reader, blockNumber, Number(index)));

  return {
    eth_sendRawTransaction: async (raw: Hex) => {
      const hash = await chain.submit(hexToBytes(raw));
      // ethers looks for the receipt immediately, remembers for 250 ms that there is none, and looks again at the next
      // block. Without another block it waits for ever.
      await chain.mined(hash);
      return hash;
    },
    eth_getTransactionByHash: async (hash: Hex) => {
      const found = format(findMined(reader, hash));
      if (found !== null) return found;
      const pending = await chain.pendingTransaction(hash);
      // It may have moved from the pool to a block between the two lookups.
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
    debug_traceTransaction: (hash: Hex, options: TraceOptions | undefined) => {
      const found = findMined(reader, hash);
      const calls = found === null ? null : callTrees.get(found.transaction.blockNumber, found.transaction.index);
      if (calls === null) throw new PartnerChainError('NOT_FOUND', `no transaction ${hash} is mined`);
      const isDeep = options?.tracerConfig?.onlyTopCall !== true;
      if (calls.outputOmitted === true || (isDeep && calls.omitted !== undefined)) throw notKept(hash, calls);
      return formatCallFrame(calls, isDeep);
    },
  };
}

/** The message must not suggest to try again: the missing part was never stored. */
function notKept(hash: Hex, { outputOmitted }: CallFrame): PartnerChainError {
  const kept = `GET /api/v1/contracts/results/${hash}/actions has the part that was kept`;
  const hint = outputOmitted === true ? kept : `${kept}, onlyTopCall the outermost call`;
  return new PartnerChainError(
    'NOT_FOUND',
    `the call tree was too large to be kept whole and never will be available; ${hint}`,
  );
}

function format(found: Mined | null): RpcObject | null {
  return found === null ? null : formatMined(found.transaction, found.block);
}

const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Size of a frame besides its input and output. */
const FRAME_SIZE = 512;

/** Cache of call trees: reading a large one takes long, and a client that pages through it asks repeatedly. */
export class CallTrees {
  private readonly kept = new LRUCache<string, CallFrame>({ maxSize: MAX_CHARACTERS, sizeCalculation: computeSize });

  constructor(private readonly reader: ChainReader) {}

  /** The tree of the transaction at an index of a block, or null. Callers share it and must not modify it. */
  get(blockNumber: number, index: number): CallFrame | null {
    const key = `${blockNumber}/${index}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const tree = this.reader.calls(blockNumber, index);
    if (tree !== null) this.kept.set(key, tree);
    return tree;
  }
}

function computeSize({ input, output, calls }: CallFrame): number {
  return calls.reduce((sum, call) => sum + computeSize(call), FRAME_SIZE + input.length + output.length);
}

/** A call tree in the shape of geth's `callTracer`, values in wei. @param isDeep false for `onlyTopCall`. */
function formatCallFrame(frame: CallFrame, isDeep: boolean): RpcObject {
  const movesValue = frame.type !== 'DELEGATECALL' && frame.type !== 'STATICCALL';
  return {
    type: frame.type,
    from: frame.from,
    ...(frame.to === null ? {} : { to: frame.to }),
    ...(movesValue ? { value: quantity(frame.value * WEI_PER_UNIT) } : {}),
    gas: quantity(frame.gas),
    gasUsed: quantity(frame.gasUsed),
    input: frame.input,
    ...(frame.output === '0x' ? {} : { output: frame.output }),
    ...(frame.error === null ? {} : { error: frame.error === 'revert' ? 'execution reverted' : frame.error }),
    ...(isDeep && frame.calls.length > 0 ? { calls: frame.calls.map((call) => formatCallFrame(call, true)) } : {}),
  };
}
