import type { NodeFailure } from './node-errors.js';

const FIRST_OPEN_MS = 1_000;
const MAX_OPEN_MS = 30_000;
/** Failures further apart than this are unrelated. */
const RESET_AFTER_MS = 60_000;
/** A client can make a node slow on purpose, so one slow answer must not move all clients to another node. */
const TIMEOUTS_TO_OPEN = 3;

/**
 * Opens when calls to a node fail although its health checks pass. While it is open the node comes last. Each time in a
 * row it stays open twice as long, up to 30 seconds.
 */
export class CircuitBreaker {
  private openUntil = Number.NEGATIVE_INFINITY;
  private lastFailureAt = Number.NEGATIVE_INFINITY;
  private timesInRow = 0;
  private timeoutsInRow = 0;

  /** @param clock a monotonic clock, in milliseconds. */
  constructor(private readonly clock: () => number) {}

  get isOpen(): boolean {
    return this.clock() < this.openUntil;
  }

  recordFailure(failure: NodeFailure): void {
    if (failure.kind === 'timeout' && ++this.timeoutsInRow < TIMEOUTS_TO_OPEN) return;
    if (this.isOpen) return;
    const now = this.clock();
    this.timesInRow = now - this.lastFailureAt > RESET_AFTER_MS ? 0 : this.timesInRow + 1;
    this.lastFailureAt = now;
    this.openUntil = now + Math.min(MAX_OPEN_MS, FIRST_OPEN_MS * 2 ** this.timesInRow);
  }

  recordSuccess(): void {
    this.timeoutsInRow = 0;
  }
}
