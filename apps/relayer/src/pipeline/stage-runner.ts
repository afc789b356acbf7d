/** Immediate reruns between two ticks. Further work waits for the next tick. */
const MAX_REPEATS = 100;

/** The runs of a stage so far. Times in epoch milliseconds, durations in milliseconds. */
export interface StageStatus {
  readonly runs: number;
  readonly failures: number;
  readonly startedAtMs: number | null;
  /** End of the last successful run. */
  readonly succeededAtMs: number | null;
  /** Duration of the last finished run. */
  readonly durationMs: number | null;
}

/** The runner's work and its callbacks. Only `run` may throw. */
interface RunnerPort {
  /** Does the work once. Returns true when it wrote, so that more may be left to do. */
  readonly run: () => Promise<boolean>;
  readonly onWrote: () => void;
  readonly onFailure: (error: unknown) => void;
  /** The work keeps reporting writes: from here on it runs only on ticks. */
  readonly onBounded: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Runs one piece of work, never concurrently. Any number of wakes during a run cause one more run. A run that wrote is
 * repeated immediately; a failed run waits for the next wake.
 */
export class StageRunner {
  private running: Promise<void> | null = null;
  private isWanted = false;
  private isStopped = false;
  private repeats = 0;
  private isBounded = false;
  private isTickNeeded = true;
  /**
   * The next run belongs to a tick, so it must not replace a later tick; otherwise every second tick would be skipped.
   */
  private isRunOfTick = false;
  private seen: StageStatus = { runs: 0, failures: 0, startedAtMs: null, succeededAtMs: null, durationMs: null };

  constructor(private readonly port: RunnerPort) {}

  /** Runs the work now, or again after the current run. */
  wake(): void {
    this.isWanted = true;
    if (!this.isStopped) this.running ??= this.runWhileWanted().finally(() => (this.running = null));
  }

  /** Allows immediate repeats again. Runs the work unless a run since the last tick left nothing to do. */
  tick(): void {
    this.repeats = 0;
    const isNeeded = this.isTickNeeded;
    this.isTickNeeded = true;
    if (!isNeeded) return;
    this.isRunOfTick = true;
    this.wake();
  }

  /** Waits for the current run and prevents further ones. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  status(): StageStatus {
    return this.seen;
  }

  private async runWhileWanted(): Promise<void> {
    while (this.isWanted && !this.isStopped) {
      this.isWanted = false;
      if (await this.runOnce()) this.repeat();
      else this.isBounded = false;
      if (this.isBounded) this.isTickNeeded = true;
    }
  }

  private repeat(): void {
    this.port.onWrote();
    this.repeats += 1;
    if (this.repeats <= MAX_REPEATS) this.isWanted = true;
    else if (!this.isBounded) {
      this.isBounded = true;
      this.port.onBounded();
    }
  }

  private async runOnce(): Promise<boolean> {
    const startedAtMs = this.port.now();
    const { isRunOfTick } = this;
    let isSuccess = false;
    this.isRunOfTick = false;
    this.seen = { ...this.seen, startedAtMs, runs: this.seen.runs + 1 };
    try {
      const hasWritten = await this.port.run();
      if (!isRunOfTick) this.isTickNeeded = false;
      isSuccess = true;
      return hasWritten;
    } catch (error) {
      this.isTickNeeded = true;
      this.seen = { ...this.seen, failures: this.seen.failures + 1 };
      this.port.onFailure(error);
      return false;
    } finally {
      const endedAtMs = this.port.now();
      const succeededAtMs = isSuccess ? endedAtMs : this.seen.succeededAtMs;
      this.seen = { ...this.seen, succeededAtMs, durationMs: endedAtMs - startedAtMs };
    }
  }
}
