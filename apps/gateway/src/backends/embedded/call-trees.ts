import { WEI_PER_UNIT, type CallFrame, type ChainReader } from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';
import { quantity } from './hex.js';

/** Characters of call trees that are kept, approximately. */
const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Size of a frame besides its input and output. */
const FRAME_SIZE = 512;

/**
 * Cache of the call trees of mined transactions. Reading a large one takes long, and a client that pages through it
 * asks repeatedly.
 */
export class CallTrees {
  private readonly kept = new LRUCache<string, CallFrame>({ maxSize: MAX_CHARACTERS });

  constructor(private readonly reader: ChainReader) {}

  /** The tree of the transaction at an index of a block, or null. Callers share it and must not modify it. */
  get(blockNumber: number, index: number): CallFrame | null {
    const key = `${blockNumber}/${index}`;
    const known = this.kept.get(key);
    if (known !== undefined) return known;
    const tree = this.reader.calls(blockNumber, index);
    if (tree !== null) this.kept.set(key, tree, { size: sizeOf(tree) });
    return tree;
  }
}

function sizeOf({ input, output, calls }: CallFrame): number {
  return calls.reduce((sum, call) => sum + sizeOf(call), FRAME_SIZE + input.length + output.length);
}

/**
 * A call tree in the shape of geth's `callTracer`, values in wei. DELEGATECALL and STATICCALL move nothing and have no
 * value.
 *
 * @param isDeep false for the outermost frame only (`onlyTopCall`).
 */
export function formatCallFrame(frame: CallFrame, isDeep: boolean): Readonly<Record<string, unknown>> {
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
