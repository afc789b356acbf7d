import { LRUCache } from 'lru-cache';

/** Methods whose result does not change once its block is deep enough, and the field of the result that names the block. */
const BLOCK_FIELD: Readonly<Record<string, string>> = {
  eth_getBlockByHash: 'number',
  eth_getBlockByNumber: 'number',
  eth_getBlockReceipts: 'blockNumber',
  eth_getTransactionByHash: 'blockNumber',
  eth_getTransactionReceipt: 'blockNumber',
  eth_getTransactionByBlockHashAndIndex: 'blockNumber',
  eth_getTransactionByBlockNumberAndIndex: 'blockNumber',
};
/** What a node says about itself changes when it is upgraded or another one takes over. */
const ABOUT_NODE_MS: Readonly<Record<string, number>> = { net_version: 3_600_000, web3_clientVersion: 60_000 };
const LARGEST_PART = 16;
/** An object takes about twice the room of its JSON, one byte a character. */
const BYTES_PER_CHARACTER = 2;

/** Answers that cannot change any more, within a fixed room. Its values are shared: nobody may modify them. */
export class ResultCache {
  private readonly results: LRUCache<string, { readonly result: object | string }>;
  private clearings = 0;

  /**
   * @param bytes room.
   * @param confirmations blocks at least this much below the head do not change any more.
   */
  constructor(
    bytes: number,
    private readonly confirmations: number,
  ) {
    this.results = new LRUCache({
      maxSize: bytes,
      maxEntrySize: Math.ceil(bytes / LARGEST_PART),
      sizeCalculation: (value, key) => BYTES_PER_CHARACTER * (key.length + JSON.stringify(value).length),
    });
  }

  /** Changes whenever everything is forgotten. Read before asking and given back with the answer, it keeps out what was asked earlier. */
  get epoch(): number {
    return this.clearings;
  }

  /** Whether results of the method are ever kept. */
  concerns(method: string): boolean {
    return Object.hasOwn(BLOCK_FIELD, method) || Object.hasOwn(ABOUT_NODE_MS, method);
  }

  /** The kept result in an object, or undefined. */
  get(method: string, params: readonly unknown[]): { readonly result: object | string } | undefined {
    return this.results.get(keyOf(method, params));
  }

  /**
   * Keeps the result if it is one that lasts: never a null, never one of a tag such as `latest`.
   *
   * @param head the highest block number known, or null.
   * @param epoch what `epoch` was before the result was asked for.
   */
  put(method: string, params: readonly unknown[], result: unknown, head: number | null, epoch: number): void {
    if (epoch !== this.clearings || head === null) return;
    const ttl = ABOUT_NODE_MS[method];
    if (ttl !== undefined && typeof result === 'string') this.results.set(keyOf(method, params), { result }, { ttl });
    const field = BLOCK_FIELD[method];
    if (field === undefined || typeof result !== 'object' || result === null || !isFixed(params[0])) return;
    const block = blockOf(Array.isArray(result) ? result[0] : result, field);
    if (block !== null && head - block >= this.confirmations) this.results.set(keyOf(method, params), { result });
  }

  /** Forgets everything: what was thought final was not. */
  clear(): void {
    this.clearings++;
    this.results.clear();
  }
}

/** A hash or a number; a tag, or an object that may ask for what is canonical, means another block later. */
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
