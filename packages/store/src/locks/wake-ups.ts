import { setTimeout as sleep } from 'node:timers/promises';
import { Client, type ClientConfig } from 'pg';
import { Prisma } from '../generated/prisma/client.js';

/**
 * What another process wrote: an intent or the origin of one (`intents`), a halt, a retry or a cancellation
 * (`operator`), or the end of the lease (`lease`). `connected`: anything may have been missed.
 */
export type WakeUp = 'intents' | 'operator' | 'lease' | 'connected';

const CHANNEL = 'causeway_wake_up';
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** What a writer announces. */
type Announced = Exclude<WakeUp, 'connected'>;

/** SQL of the expression that notifies the relayers when the transaction commits. */
export function notification(wakeUp: Announced): string {
  return `pg_notify('${CHANNEL}', '${wakeUp}')`;
}

/** Wakes the relayers when the caller's transaction commits. Equal notifications of a transaction arrive once. */
export async function wake(tx: Prisma.TransactionClient, wakeUp: Announced): Promise<void> {
  await tx.$executeRaw`SELECT ${Prisma.raw(notification(wakeUp))}`;
}

/**
 * Listens on a connection of its own until `stop`. A lost connection is opened again, with growing pauses.
 * Notifications in between are lost: the timers of the stages are the fallback.
 */
export class WakeUpListener {
  private client: Client | null = null;
  private readonly stopped = new AbortController();
  private readonly running: Promise<void>;

  /**
   * @param onWakeUp is called for every notification, and with `connected` after every connect. It must not throw.
   * @param onError is called when the connection is lost or cannot be opened.
   */
  constructor(
    private readonly config: ClientConfig,
    private readonly onWakeUp: (wakeUp: WakeUp) => void,
    private readonly onError: (error: Error) => void,
  ) {
    this.running = this.keepListening();
  }

  /** Closes the connection. No call follows. */
  async stop(): Promise<void> {
    this.stopped.abort();
    await this.client?.end().catch(() => undefined);
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
      if (isWakeUp(payload) && !this.isStopped()) this.onWakeUp(payload);
    });
    try {
      await client.connect();
      await client.query(`LISTEN ${CHANNEL}`);
      onConnect();
      if (!this.isStopped()) this.onWakeUp('connected');
      await ended;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private isStopped(): boolean {
    return this.stopped.signal.aborted;
  }
}

function isWakeUp(payload: string | undefined): payload is WakeUp {
  return payload === 'intents' || payload === 'operator' || payload === 'lease';
}
