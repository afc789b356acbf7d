import { isTerminal } from '@causeway/protocol';
import { ADMIN_CHANGES } from '@causeway/protocol/admin';
import type { ChangedOperation, Store, WatchedVersions } from '@causeway/store';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import { ALL_CHANGES, type AllChanges, type AllFollower } from '../../events/change-feed.js';
import type { Update } from '../../events/event-stream.js';
import { STORE } from '../../infrastructure.js';
import { Drain } from '../../server/shutdown.js';
import { SessionsService } from '../access/sessions.service.js';
import { toOperationRow } from '../reads/operation-row.js';
import { LEASE } from '../reads/overview.controller.js';
import type { ConsoleStream } from './console-stream.js';

/** Milliseconds between heartbeats; see ADMIN_EVENT_NAMES of the protocol. */
const HEARTBEAT_MS = 5_000;

/**
 * Feeds all consoles of this process in the rounds of the `ChangeFeed`. The feed's query reads the operations; one more
 * query compares the versions of everything else.
 */
@Injectable()
export class ConsoleFeed implements AllFollower, OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly streams = new Set<ConsoleStream>();
  /** Streams that have received every announcement since `versions` was read. */
  private readonly greeted = new WeakSet<ConsoleStream>();
  private versions: WatchedVersions | null = null;
  private heartbeats: NodeJS.Timeout | null = null;

  constructor(
    @Inject(ALL_CHANGES) private readonly changes: AllChanges,
    @Inject(STORE) private readonly store: Pick<Store, 'overview'>,
    private readonly sessions: SessionsService,
    private readonly drain: Drain,
    private readonly logger: PinoLogger,
  ) {
    drain.signal.addEventListener('abort', () => this.end());
  }

  onApplicationBootstrap(): void {
    this.heartbeats = setInterval(() => {
      for (const stream of this.streams) stream.heartbeat();
      // A session also expires, which no event announces.
      void this.endWithSessions();
    }, HEARTBEAT_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.heartbeats ?? undefined);
    this.end();
  }

  /** The lowest watermark of all consoles; each stream skips the changes it already has. */
  get watermark(): bigint {
    return [...this.streams].reduce((least, { watermark }) => (watermark < least ? watermark : least), 1n << 62n);
  }

  /** Adds a console that has all changes below its watermark. */
  add(stream: ConsoleStream): void {
    this.streams.add(stream);
    if (this.drain.signal.aborted) stream.end();
    this.changes.follow(this);
  }

  remove(stream: ConsoleStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    this.changes.unfollow(this);
    this.versions = null;
  }

  end(): void {
    for (const stream of this.streams) stream.end();
  }

  async deliver(changed: readonly ChangedOperation[], watermark: bigint): Promise<void> {
    const updates = changed.map(toUpdate);
    for (const stream of this.streams) stream.deliver(updates, watermark);
    const before = this.versions;
    const now = await this.store.overview.versions(LEASE);
    this.versions = now;
    const announced = ADMIN_CHANGES.filter((what) => before !== null && before[what] !== now[what]);
    for (const stream of this.streams) {
      for (const what of this.greeted.has(stream) ? announced : ADMIN_CHANGES) stream.announce(what);
      this.greeted.add(stream);
    }
    // The audit log has a row for each ended session and removed member.
    if (announced.includes('audit')) await this.endWithSessions();
  }

  /** Ends the streams whose sessions have ended, or whose members were removed. */
  private async endWithSessions(): Promise<void> {
    if (this.streams.size === 0) return;
    try {
      const living = await this.sessions.findLiving([...new Set([...this.streams].map(({ sessionId }) => sessionId))]);
      for (const stream of this.streams) if (!living.has(stream.sessionId)) stream.end();
    } catch (error) {
      // Without the database the streams receive no data either. The next heartbeat retries.
      this.logger.warn({ cause: String(error) }, 'cannot check the sessions of event streams; trying again');
    }
  }
}

/** Converts an operation to the row that consoles receive. */
export function toUpdate({ operation, changedIn }: ChangedOperation): Update {
  const data = JSON.stringify(toOperationRow(operation));
  return { operationId: operation.id, changedIn, isTerminal: isTerminal(operation.status), data };
}
