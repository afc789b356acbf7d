interface TimeSource {
  readonly now: () => number;
  /** The time that the process's clock shows. */
  readonly clock: () => number;
  readonly at: (atMs: number, run: () => unknown) => () => void;
}

const REAL = {
  Date: globalThis.Date,
  setTimeout: globalThis.setTimeout,
  setInterval: globalThis.setInterval,
  clearTimeout: globalThis.clearTimeout,
  clearInterval: globalThis.clearInterval,
};

/** Runs I/O that the kernel awaits. Until it ends, timers are Node's. Clocks stay simulated. */
export async function withRealTimers<T>(work: () => Promise<T>): Promise<T> {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const { Date: _, ...timers } = REAL;
  Object.assign(globalThis, timers);
  try {
    return await work();
  } finally {
    Object.assign(globalThis, { setTimeout, setInterval, clearTimeout, clearInterval });
  }
}

/** A timer as Node's functions return it. */
class Timer {
  readonly cancel: () => void;

  constructor(cancel: () => void) {
    this.cancel = cancel;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

/** The global timers and clocks in simulated time. A process's timers end with the process. */
export class VirtualTimers {
  private readonly source: TimeSource;

  constructor(source: TimeSource) {
    this.source = source;
  }

  /** Replaces the global functions. Returns the function that restores them. */
  install(): () => void {
    const { source } = this;
    class SimulatedDate extends REAL.Date {
      constructor(...parts: [] | [number | string | Date]) {
        if (parts.length === 0) super(source.clock());
        else super(...parts);
      }

      static override now(): number {
        return source.clock();
      }
    }
    const clear = (timer: unknown) => {
      if (timer instanceof Timer) timer.cancel();
    };
    Object.assign(globalThis, {
      Date: SimulatedDate,
      setTimeout: (run: (...parts: unknown[]) => void, ms = 0, ...parts: unknown[]) =>
        new Timer(
          source.at(source.now() + ms, () => {
            // Async work that it starts continues after this event.
            run(...parts);
          }),
        ),
      setInterval: (run: () => void, ms: number) => this.repeat(run, ms),
      clearTimeout: clear,
      clearInterval: clear,
    });
    const perform = performance.now.bind(performance);
    performance.now = () => source.now();
    return () => {
      Object.assign(globalThis, REAL);
      performance.now = perform;
    };
  }

  private repeat(run: () => void, ms: number): Timer {
    const { source } = this;
    let cancel: () => void = () => undefined;
    const again = () => {
      cancel = source.at(source.now() + ms, () => {
        again();
        run();
      });
    };
    again();
    return new Timer(() => cancel());
  }
}
