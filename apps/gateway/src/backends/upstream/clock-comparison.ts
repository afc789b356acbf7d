import type { RpcHeader } from '../backend.js';

/** Number of compared blocks. Late arrivals do not count. */
const MAX_BLOCKS = 16;

/** Compares this machine's clock with the times of the newest blocks. */
export class ClockComparison {
  private offsetsMs: readonly number[] = [];
  private newest: number | null = null;

  /** @param now the clock, in epoch milliseconds. */
  constructor(private readonly now: () => number) {}

  /** Records a head; must be called as soon as it is read. After a gap the arrival time is unknown. */
  see({ number, timestamp }: RpcHeader): void {
    const height = Number(number);
    const isNext = this.newest !== null && height === this.newest + 1;
    if (isNext) this.offsetsMs = [...this.offsetsMs, this.now() - 1_000 * Number(timestamp)].slice(-MAX_BLOCKS);
    this.newest = height;
  }

  /** This clock minus the chain's, in milliseconds, by the block that arrived soonest; null while unknown. */
  offsetMs(): number | null {
    return this.offsetsMs.length === 0 ? null : Math.min(...this.offsetsMs);
  }
}
