/** Immediate runs after one that wrote, between two ticks. The rest waits for the next tick. */
const MAX_REPEATS = 100;

/** The runs of a stage so far. Times in epoch milliseconds, durations in milliseconds. */
export interface StageStatus {
  readonly runs: number;
  readonly failures: number;
  readonly startedAtMs: number | null;
  /** End of the last run that did not fail. */
  readonly succeededAtMs: number | null;
  /** Of the last run that has ended. */
  readonly durationMs: number | null;
}

/** How a runner does its work, and what it reports. None of them may throw, except `run`. */
interface RunnerPort {
  /** Does the work once. True: it wrote something, so there may be more to do. */
  readonly run: () => Promise<boolean>;
  readonly onWrote: () => void;
  readonly onFailure: (error: unknown) => void;
  /** The work reports writes for ever: it runs at the pace of the ticks from now on. */
  readonly onBounded: () => void;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/**
 * Runs one piece of work: never twice at the same time. A wake during a run means one more run, however many wakes
 * there are. A run that wrote is repeated immediately; a failed one waits for the next wake.
 */
export class StageRunner {
  private running: Promise<void> | null = null;
  private isWanted = false;
  private isStopped = false;
  private repeats = 0;
  private isBounded = false;
  private isTickNeeded = true;
  /** The next run is that of a tick, so it replaces no later tick: else each second one would be left out. */
  private isRunOfTick = false;
  private seen: StageStatus = { runs: 0, failures: 0, startedAtMs: null, succeededAtMs: null, durationMs: null };

  constructor(private readonly port: RunnerPort) {}

  /** Runs the work now, or once more after the present run. */
  wake(): void {
    this.isWanted = true;
    if (!this.isStopped) this.running ??= this.runWhileWanted().finally(() => (this.running = null));
  }

  /** Allows immediate repeats again. Runs the work, unless a wake since the last tick left nothing more to do. */
  tick(): void {
    this.repeats = 0;
    const isNeeded = this.isTickNeeded;
    this.isTickNeeded = true;
    if (!isNeeded) return;
    this.isRunOfTick = true;
    this.wake();
  }

  /** Waits for the present run. No other follows. */
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
