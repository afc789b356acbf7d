import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** A channel of PostgreSQL, and its payloads. */
export interface Channel<T extends string> {
  readonly name: string;
  readonly payloads: readonly T[];
}

/**
 * Listens on a separate connection until `stop`, and reconnects with backoff. Notifications are lost while
 * disconnected, so `connected` means that any notification may have been missed.
 */
export class NotificationListener<T extends string> {
  private client: Client | null = null;
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;

  /**
   * @param onNotification called for every notification, and with `connected` after every connect. Must not throw.
   * @param onError called when the connection is lost or cannot be opened.
   */
  constructor(
    private readonly config: ClientConfig,
    private readonly channel: Channel<T>,
    private readonly onNotification: (payload: T | 'connected') => void,
    private readonly onError: (error: Error) => void,
  ) {
    this.running = this.keepListening();
  }

  /** Destroys the connection without a protocol goodbye, which could hang on a silent server. No callback follows. */
  async stop(): Promise<void> {
    this.stopped.abort();
    this.client?.connection.stream.destroy();
    await this.running;
  }

  private async keepListening(): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !this.isStopped(); pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        await this.listen(() => (pauseMs = FIRST_PAUSE_MS));
      } catch (error) {
        if (this.isStopped()) return;
        this.onError(error instanceof Error ? error : new Error(String(error)));
      }
      await sleep(pauseMs, undefined, { signal: this.stopped.signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection ends. */
  private async listen(onConnect: () => void): Promise<void> {
    const client = new Client({ ...this.config, keepAlive: true });
    this.client = client;
    const ended = new Promise<void>((resolve, reject) => {
      client.once('end', resolve);
      client.on('error', reject);
    });
    // While connecting, `connect` itself reports the failure.
    ended.catch(() => undefined);
    client.on('notification', ({ payload }) => {
      const known = this.channel.payloads.find((each) => each === payload);
      if (known !== undefined && !this.isStopped()) this.onNotification(known);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${this.channel.name}`);
      onConnect();
      if (!this.isStopped()) this.onNotification('connected');
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private isStopped(): boolean {
    return this.stopped.signal.aborted;
  }
}
