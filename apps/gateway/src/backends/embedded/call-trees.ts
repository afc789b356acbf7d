import type { CallFrame, ChainReader } from '@causeway/partner-chain';
import { LRUCache } from 'lru-cache';

/** Characters of call trees that are kept, about. */
const KEPT = 32 * 1024 * 1024;
/** What a frame takes besides its input and output. */
const FRAME = 512;

/** The call trees of mined transactions. Reading a large one takes long, and who pages through it asks again and again. */
export class CallTrees {
  readonly #kept = new LRUCache<string, CallFrame>({ maxSize: KEPT });

  constructor(private readonly reader: ChainReader) {}

  /** The tree of the transaction at a place in a block; null if there is none. It is shared: nobody may modify it. */
  get(blockNumber: number, index: number): CallFrame | null {
    const key = `${blockNumber}/${index}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const tree = this.reader.calls(blockNumber, index);
    if (tree !== null) this.#kept.set(key, tree, { size: sizeOf(tree) });
    return tree;
  }
}

function sizeOf({ input, output, calls }: CallFrame): number {
  return calls.reduce((sum, call) => sum + sizeOf(call), FRAME + input.length + output.length);
}
