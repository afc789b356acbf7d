import type { RpcHeader } from '../backend.js';

/** Blocks that are compared: one that came late does not count. */
const MAX_BLOCKS = 16;

/** This machine's clock against the times of the newest blocks. */
export class ClockComparison {
  private offsetsMs: readonly number[] = [];
  private newest: number | null = null;

  /** @param now the clock, in epoch milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Takes a head as soon as it is read. After a gap its time of arrival is unknown. */
  see({ number, timestamp }: RpcHeader): void {
    const height = Number(number);
    const isNext = this.newest !== null && height === this.newest + 1;
    if (isNext) this.offsetsMs = [...this.offsetsMs, this.now() - 1_000 * Number(timestamp)].slice(-MAX_BLOCKS);
    this.newest = height;
  }

  /** This clock less that of the chain, in milliseconds, by the block that came soonest; null while none is known. */
  offsetMs(): number | null {
    return this.offsetsMs.length === 0 ? null : Math.min(...this.offsetsMs);
  }
}
