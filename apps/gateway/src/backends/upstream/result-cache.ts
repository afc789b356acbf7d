import { LRUCache } from 'lru-cache';
import { getField } from './read-answers.js';

/** Methods whose result is immutable once its block is final, and the field of the result that names the block. */
const BLOCK_FIELD: Readonly<Record<string, string>> = {
  eth_getBlockByHash: 'number',
  eth_getBlockByNumber: 'number',
  eth_getBlockReceipts: 'blockNumber',
  eth_getTransactionByHash: 'blockNumber',
  eth_getTransactionReceipt: 'blockNumber',
  eth_getTransactionByBlockHashAndIndex: 'blockNumber',
  eth_getTransactionByBlockNumberAndIndex: 'blockNumber',
};
/** One entry takes at most this fraction (1/16) of the cache. */
const MAX_ENTRY_PART = 16;
/** An object takes about twice the size of its JSON, one byte per character. */
const BYTES_PER_CHARACTER = 2;

/** Immutable results, within a fixed size. Callers share the values and must not modify them. */
export class ResultCache {
  private readonly results: LRUCache<string, object>;
  private clearings = 0;

  constructor(
    bytes: number,
    private readonly confirmations: number,
  ) {
    this.results = new LRUCache({
      maxSize: bytes,
      maxEntrySize: Math.ceil(bytes / MAX_ENTRY_PART),
      sizeCalculation: (value, key) => BYTES_PER_CHARACTER * (key.length + JSON.stringify(value).length),
    });
  }

  /** Changes with every `clear`. A result is not stored if a `clear` happened since its call. */
  get epoch(): number {
    return this.clearings;
  }

  covers(method: string): boolean {
    return Object.hasOwn(BLOCK_FIELD, method);
  }

  get(method: string, params: readonly unknown[]): object | undefined {
    return this.results.get(toKey(method, params));
  }

  /**
   * Stores the result if it is immutable: never null, and never for a tag such as `latest`.
   *
   * @param head the newest verified block number.
   * @param epoch the value of `epoch` before the call.
   */
  put(method: string, params: readonly unknown[], result: unknown, head: number | null, epoch: number): void {
    if (epoch !== this.clearings || head === null) return;
    const field = BLOCK_FIELD[method];
    if (field === undefined || typeof result !== 'object' || result === null || !isFixed(params[0])) return;
    const block = getField(Array.isArray(result) ? result[0] : result, field);
    if (typeof block === 'string' && head - Number(block) >= this.confirmations) {
      this.results.set(toKey(method, params), result);
    }
  }

  /** Removes everything: blocks that counted as final have changed. */
  clear(): void {
    this.clearings++;
    this.results.clear();
  }
}

/**
 * Whether the block is a hash or a number. A tag, or an object that asks for the canonical block, can mean another
 * block later.
 */
function isFixed(block: unknown): boolean {
  return typeof block === 'string' && block.startsWith('0x');
}

function toKey(method: string, params: readonly unknown[]): string {
  return `${method}${JSON.stringify(params).toLowerCase()}`;
}
