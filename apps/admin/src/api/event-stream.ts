import type { AdminEventName } from '@causeway/protocol/admin';

/** Silence after which the stream is considered dead. The server sends a heartbeat every 5 seconds. */
const SILENCE_MS = 15_000;
/** Delay before reopening a stream that the server refused. The browser itself reopens a lost connection. */
const REOPEN_MS = 3_000;
const NAMES: Readonly<Record<AdminEventName, true>> = { operation: true, changed: true, resync: true, heartbeat: true };

/** The browser functions that the stream needs. */
export interface StreamEnvironment {
  readonly open: (url: string) => EventSource;
  readonly now: () => number;
  readonly setTimer: (run: () => void, milliseconds: number) => number;
  readonly clearTimer: (timer: number) => void;
}

const BROWSER: StreamEnvironment = {
  open: (url) => new EventSource(url),
  now: () => Date.now(),
  setTimer: (run, milliseconds) => window.setTimeout(run, milliseconds),
  clearTimer: (timer) => window.clearTimeout(timer),
};

/** Receives the events of a stream. */
export interface StreamReader {
  /** Receives an event with its data as JSON. */
  readonly onEvent: (name: AdminEventName, data: string) => void;
  /** Called if the stream was refused or events may be missing: read the session and everything else again. */
  readonly onGap: () => void;
}

/**
 * The console's only stream of server-sent events. The browser resumes it after the last received event. If the server
 * refuses it, or it is silent for too long, it is reopened, and the reader is notified of a gap.
 */
export class EventStream {
  private source: EventSource | null = null;
  private reopening: number | null = null;
  private silence: number | null = null;
  private hasHeartbeats = false;
  private listeners = new Set<() => void>();
  private downSinceMs: number | null;

  constructor(
    private readonly url: string,
    private readonly reader: StreamReader,
    private readonly environment: StreamEnvironment = BROWSER,
  ) {
    this.downSinceMs = environment.now();
  }

  /** Returns when the stream went down, in epoch milliseconds; null while it is open. For `useSyncExternalStore`. */
  readonly downSince = (): number | null => this.downSinceMs;

  /** Calls the listener at every change of `downSince`. Returns the unsubscribe function. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Opens the stream. */
  start(): void {
    const source = this.environment.open(this.url);
    this.source = source;
    source.addEventListener('open', () => this.alive());
    source.addEventListener('error', () => this.failed(source));
    for (const name of Object.keys(NAMES) as AdminEventName[]) {
      source.addEventListener(name, (event: MessageEvent<string>) => {
        this.hasHeartbeats ||= name === 'heartbeat';
        this.alive();
        if (name === 'resync') this.reader.onGap();
        else if (name !== 'heartbeat') this.reader.onEvent(name, event.data);
      });
    }
  }

  /** Closes the stream. */
  stop(): void {
    this.source?.close();
    this.source = null;
    for (const timer of [this.reopening, this.silence]) if (timer !== null) this.environment.clearTimer(timer);
    this.reopening = null;
    this.silence = null;
  }

  private alive(): void {
    this.setDown(null);
    if (this.silence !== null) this.environment.clearTimer(this.silence);
    this.silence = this.hasHeartbeats ? this.environment.setTimer(() => this.reopen(0), SILENCE_MS) : null;
  }

  private failed(source: EventSource): void {
    this.setDown(this.downSinceMs ?? this.environment.now());
    // CLOSED: the server refused the stream, so the browser does not retry.
    if (source.readyState === 2 && source === this.source) this.reopen(REOPEN_MS);
  }

  private reopen(delayMs: number): void {
    this.stop();
    this.setDown(this.downSinceMs ?? this.environment.now());
    this.reopening = this.environment.setTimer(() => {
      this.reader.onGap();
      this.start();
    }, delayMs);
  }

  private setDown(since: number | null): void {
    if (since === this.downSinceMs) return;
    this.downSinceMs = since;
    for (const listener of this.listeners) listener();
  }
}
