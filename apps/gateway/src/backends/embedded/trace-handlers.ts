import {
  PartnerChainError,
  WEI_PER_UNIT,
  type CallFrame,
  type ChainReader,
  type PartnerChain,
  type StateTrace,
  type TracedAccount,
} from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { type Hex } from 'viem';
import { findBlock, type BlockParam } from './block-handlers.js';
import type { RpcBlockOverrides, RpcStateOverrides } from './call-requests.js';
import { hex, quantity, type RpcObject } from './format-transactions.js';
import { findMined } from './transaction-handlers.js';

export interface TraceOptions {
  readonly tracer?: 'callTracer' | 'prestateTracer';
  readonly tracerConfig?: { readonly onlyTopCall?: boolean; readonly diffMode?: boolean };
  readonly stateOverrides?: RpcStateOverrides;
  readonly blockOverrides?: RpcBlockOverrides;
}

/** Maximum characters of inputs, outputs and frames in the traces of one block. */
const MAX_BLOCK_TRACES = 16 * 1024 * 1024;

/** Methods that trace transactions and blocks: their calls, or the state that they read. */
export function traceHandlers(chain: PartnerChain, callTrees: CallTrees) {
  const { reader } = chain;
  const traceBlock = async (param: BlockParam, options: TraceOptions = {}): Promise<RpcObject[]> => {
    const block = findBlock(chain, param);
    if (block === null) throw new PartnerChainError('NOT_FOUND', 'the block does not exist');
    const { number } = block.header;
    const hashes = reader.transactions(number).map(({ hash }) => hex(hash));
    if (options.tracer === 'prestateTracer') {
      const traces = await chain.run('traceBlockState', number, null);
      return traces.map((trace, index) => ({ txHash: hashes[index], result: formatStateTrace(trace, options) }));
    }
    let room = MAX_BLOCK_TRACES;
    return hashes.map((hash, index) => {
      const calls = callTrees.get(number, index);
      room -= calls === null ? 0 : computeSize(calls);
      if (room < 0) throw new PartnerChainError('TOO_MANY_RESULTS', 'the traces of this block are too large together');
      const problem = calls === null ? 'the trace does not exist' : describeMissing(hash, calls, options);
      return calls === null || problem !== null
        ? { txHash: hash, error: problem }
        : { txHash: hash, result: formatCalls(calls, options) };
    });
  };
  return {
    debug_traceTransaction: async (hash: Hex, options: TraceOptions = {}) => {
      const place = findMined(reader, hash)?.transaction;
      if (place === undefined) throw new PartnerChainError('NOT_FOUND', `no transaction ${hash} is mined`);
      if (options.tracer === 'prestateTracer') {
        const [trace] = await chain.run('traceBlockState', place.blockNumber, place.index);
        if (trace !== undefined) return formatStateTrace(trace, options);
      }
      const calls = callTrees.get(place.blockNumber, place.index);
      if (calls === null) throw new PartnerChainError('NOT_FOUND', `no transaction ${hash} is mined`);
      const problem = describeMissing(hash, calls, options);
      if (problem !== null) throw new PartnerChainError('NOT_FOUND', problem);
      return formatCalls(calls, options);
    },
    debug_traceBlockByNumber: traceBlock,
    debug_traceBlockByHash: async (blockHash: Hex, options: TraceOptions = {}) => traceBlock({ blockHash }, options),
  };
}

/** Describes a call tree that was not stored completely; null otherwise. Does not suggest a retry. */
function describeMissing(hash: Hex, calls: CallFrame, { tracerConfig }: TraceOptions): string | null {
  const isDeep = tracerConfig?.onlyTopCall !== true;
  if (calls.outputOmitted !== true && (!isDeep || calls.omitted === undefined)) return null;
  const kept = `GET /api/v1/contracts/results/${hash}/actions has the stored part`;
  const hint = calls.outputOmitted === true ? kept : `${kept}, onlyTopCall the outermost call`;
  return `the call tree was too large to be stored completely and never will be available; ${hint}`;
}

const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Size of a frame besides its input and output. */
const FRAME_SIZE = 512;

/** Cache of call trees: reading a large one takes long, and a client that pages through it asks repeatedly. */
export class CallTrees {
  private readonly kept = new LRUCache<string, CallFrame>({ maxSize: MAX_CHARACTERS, sizeCalculation: computeSize });

  constructor(private readonly reader: ChainReader) {}

  clear(): void {
    this.kept.clear();
  }

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

export function formatCalls(frame: CallFrame, { tracerConfig }: TraceOptions): RpcObject {
  return formatCallFrame(frame, tracerConfig?.onlyTopCall !== true);
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

/** The accounts in the shape of geth's `prestateTracer`, values in wei. */
export function formatStateTrace({ pre, post }: StateTrace, { tracerConfig }: TraceOptions): RpcObject {
  if (tracerConfig?.diffMode !== true) return formatAccounts(Object.entries(pre));
  const before = Object.entries(pre).filter(([address]) => address in post);
  return { pre: formatAccounts(before), post: formatAccounts(Object.entries(post)) };
}

function formatAccounts(accounts: readonly (readonly [string, TracedAccount])[]): RpcObject {
  return Object.fromEntries(
    accounts.map(([address, { balance, nonce, code, storage = {} }]) => [
      address,
      {
        ...(balance === undefined ? {} : { balance: quantity(balance * WEI_PER_UNIT) }),
        ...(nonce === undefined || nonce === 0n ? {} : { nonce: Number(nonce) }),
        ...(code === undefined || code === '0x' ? {} : { code }),
        ...(Object.keys(storage).length === 0 ? {} : { storage }),
      },
    ]),
  );
}
