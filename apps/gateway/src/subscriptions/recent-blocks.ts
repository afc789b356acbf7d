import type { BlockOfLogs } from './block-of-logs.js';

/** Blocks whose logs are kept: both branches of a reorganisation of 64 blocks; a deeper one is not expected of any chain. */
const MOST_BLOCKS = 128;
/** Characters of JSON that are kept at most; the newest block is kept whatever its size. */
const MOST_SIZE = 32 * 1024 * 1024;

/** The logs of the blocks told last, to tell what a reorganisation takes back. */
export class RecentBlocks {
  readonly #blocks = new Map<string, BlockOfLogs>();
  #size = 0;

  get(hash: string): BlockOfLogs | null {
    return this.#blocks.get(hash) ?? null;
  }

  add(block: BlockOfLogs): void {
    this.delete(block.hash);
    this.#blocks.set(block.hash, block);
    this.#size += block.size;
    for (const hash of this.#blocks.keys()) {
      if (this.#blocks.size <= MOST_BLOCKS && (this.#size <= MOST_SIZE || this.#blocks.size === 1)) break;
      this.delete(hash);
    }
  }

  delete(hash: string): void {
    this.#size -= this.#blocks.get(hash)?.size ?? 0;
    this.#blocks.delete(hash);
  }

  clear(): void {
    this.#blocks.clear();
    this.#size = 0;
  }
}
