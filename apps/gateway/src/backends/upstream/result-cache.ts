import { LRUCache } from 'lru-cache';

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
/** A node's facts about itself change when it is upgraded or another node takes over. */
const NODE_FACT_TTL_MS: Readonly<Record<string, number>> = { net_version: 3_600_000, web3_clientVersion: 60_000 };
/** One entry takes at most this part of the cache. */
const MAX_ENTRY_PART = 16;
/** An object takes about twice the size of its JSON, one byte a character. */
const BYTES_PER_CHARACTER = 2;

/** Results that cannot change any more, within a fixed size. Callers share the values and must not modify them. */
export class ResultCache {
  private readonly results: LRUCache<string, { readonly result: object | string }>;
  private clearings = 0;

  /**
   * @param bytes size of the cache.
   * @param confirmations blocks at least this much below the head are immutable.
   */
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

  /**
   * Changes with every `clear`. Read it before a call and pass it to `put`: results from before a `clear` are not kept.
   */
  get epoch(): number {
    return this.clearings;
  }

  /** Whether results of the method are ever kept. */
  covers(method: string): boolean {
    return Object.hasOwn(BLOCK_FIELD, method) || Object.hasOwn(NODE_FACT_TTL_MS, method);
  }

  /** The kept result in an object, or undefined. */
  get(method: string, params: readonly unknown[]): { readonly result: object | string } | undefined {
    return this.results.get(keyOf(method, params));
  }

  /**
   * Keeps the result if it is immutable: never a null, never one of a tag such as `latest`.
   *
   * @param head the newest verified block number, or null.
   * @param epoch the value of `epoch` before the call.
   */
  put(method: string, params: readonly unknown[], result: unknown, head: number | null, epoch: number): void {
    if (epoch !== this.clearings || head === null) return;
    const ttl = NODE_FACT_TTL_MS[method];
    if (ttl !== undefined && typeof result === 'string') this.results.set(keyOf(method, params), { result }, { ttl });
    const field = BLOCK_FIELD[method];
    if (field === undefined || typeof result !== 'object' || result === null || !isFixed(params[0])) return;
    const block = blockOf(Array.isArray(result) ? result[0] : result, field);
    if (block !== null && head - block >= this.confirmations) this.results.set(keyOf(method, params), { result });
  }

  /** Removes everything: blocks that counted as final have changed. */
  clear(): void {
    this.clearings++;
    this.results.clear();
  }
}

/** A hash or a number. A tag, or an object that may ask for the canonical block, means another block later. */
function isFixed(block: unknown): boolean {
  return typeof block === 'string' && block.startsWith('0x');
}

function blockOf(result: unknown, field: string): number | null {
  if (typeof result !== 'object' || result === null) return null;
  const block: unknown = (result as Record<string, unknown>)[field];
  return typeof block === 'string' ? Number(block) : null;
}

function keyOf(method: string, params: readonly unknown[]): string {
  return `${method}${JSON.stringify(params).toLowerCase()}`;
}
