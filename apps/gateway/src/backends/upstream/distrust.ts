import type { NodeFailure } from './node-failure.js';

const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;
/** Failures further apart than this have nothing to do with each other. */
const FORGET_MS = 60_000;
/** A client can make a node slow on purpose; one slow answer is no reason to move everybody to another node. */
const TIMEOUTS_IN_A_ROW = 3;

/** Remembers for how long a node that failed calls comes last, although its health checks pass: longer every time. */
export class Distrust {
  private until = Number.NEGATIVE_INFINITY;
  private failedAt = Number.NEGATIVE_INFINITY;
  private times = 0;
  private timeouts = 0;

  constructor(private readonly clock: () => number) {}

  get active(): boolean {
    return this.clock() < this.until;
  }

  failed(failure: NodeFailure): void {
    if (failure.kind === 'timeout' && ++this.timeouts < TIMEOUTS_IN_A_ROW) return;
    if (this.active) return;
    const now = this.clock();
    this.times = now - this.failedAt > FORGET_MS ? 0 : this.times + 1;
    this.failedAt = now;
    this.until = now + Math.min(LONGEST_MS, FIRST_MS * 2 ** this.times);
  }

  answered(): void {
    this.timeouts = 0;
  }
}
