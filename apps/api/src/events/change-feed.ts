import { setTimeout as sleep } from 'node:timers/promises';
import { isTerminal } from '@causeway/protocol';
import type { ChangedOperation, ChangeListener, OperationChanges, Store } from '@causeway/store';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { PinoLogger } from 'nestjs-pino';
import type { Configuration } from '../configuration.js';
import { CONFIGURATION, STORE } from '../infrastructure.js';
import { OperationAnswers } from '../operations/operation-answers.js';
import { Drain } from '../server/shutdown.js';
import type { EventStream, Update } from './event-stream.js';

/** Changed operations per round, at most, in the whole bridge. */
const MOST_CHANGES = 20_000;
/** Milliseconds between rounds; notifications in this time share a round. */
const ROUND_PAUSE_MS = 100;
const RETRY_MS = 1_000;

/** The `AllChanges` of this process. */
export const ALL_CHANGES = Symbol('AllChanges');

/** Follows all operations. It is called in every round, because other data may have changed too. */
export interface AllFollower {
  /** All changes below it have been delivered. */
  readonly watermark: bigint;
  /** Delivers the changes of one round, from its watermark on. If it rejects, the round is repeated. */
  deliver(changed: readonly ChangedOperation[], watermark: bigint): Promise<void>;
  /** Called when too much changed for one round; the follower must begin again. */
  end(): void;
}

/** Registers followers of all changes. */
export interface AllChanges {
  follow(follower: AllFollower): void;
  unfollow(follower: AllFollower): void;
}

/**
 * Feeds all streams of this process with one listening connection, and one query per round for all of them. A
 * notification is only a hint: each round reads from the end of the last one. So a lost notification or an unavailable
 * database delays events but loses none.
 */
@Injectable()
export class ChangeFeed implements OnApplicationBootstrap, BeforeApplicationShutdown, AllChanges {
  private readonly streams = new Set<EventStream>();
  private readonly followers = new Set<AllFollower>();
  private listener: ChangeListener | null = null;
  private heartbeats: NodeJS.Timeout | null = null;
  private isDue = false;
  private round: Promise<void> | null = null;
  private isAway = false;

  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    private readonly answers: OperationAnswers,
    private readonly drain: Drain,
    private readonly logger: PinoLogger,
  ) {
    // Clients reconnect to another replica.
    drain.signal.addEventListener('abort', () => this.endAll());
  }

  /** Does not fail while the database is unavailable: the listener reconnects. */
  onApplicationBootstrap(): void {
    this.listener = this.store.listenToOperations(
      () => this.wake(),
      (error) => this.logger.warn({ cause: error.message }, 'no notifications from the database; reconnecting'),
    );
    this.heartbeats = setInterval(() => {
      for (const stream of this.streams) stream.heartbeat();
      // Covers a silently broken connection.
      this.wake();
    }, this.configuration.events.heartbeatMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.drain.begin();
    clearInterval(this.heartbeats ?? undefined);
    await this.listener?.stop();
  }

  /** Adds a stream that has all changes below its watermark. */
  add(stream: EventStream): void {
    this.streams.add(stream);
    if (this.drain.signal.aborted) stream.end();
    // Changes may have happened since the stream was read.
    this.wake();
  }

  remove(stream: EventStream): void {
    this.streams.delete(stream);
  }

  follow(follower: AllFollower): void {
    this.followers.add(follower);
    this.wake();
  }

  unfollow(follower: AllFollower): void {
    this.followers.delete(follower);
  }

  private wake(): void {
    this.isDue = true;
    if (this.round !== null || !this.isNeeded()) return;
    this.round = this.runRounds().finally(() => {
      this.round = null;
      if (this.isDue) this.wake();
    });
  }

  private async runRounds(): Promise<void> {
    while (this.isDue && this.isNeeded()) {
      this.isDue = false;
      try {
        await this.runRound();
        this.isAway = false;
        await this.pause(ROUND_PAUSE_MS);
      } catch (error) {
        // A shutdown does not wait for a round's query, so its failure is expected.
        if (!this.isAway && this.isNeeded())
          this.logger.warn({ cause: String(error) }, 'cannot read changes; event streams wait');
        this.isAway = true;
        this.isDue = true;
        await this.pause(RETRY_MS);
      }
    }
  }

  private async runRound(): Promise<void> {
    // Streams added during this round have already read newer data.
    const streams = [...this.streams];
    const followers = [...this.followers];
    const watermark = [...streams, ...followers].reduce(
      (least, each) => (each.watermark < least ? each.watermark : least),
      1n << 62n,
    );
    const given = <T>(values: readonly (T | undefined)[]): T[] => [
      ...new Set(values.filter((value) => value !== undefined)),
    ];
    const followed = {
      ids: given(streams.map((stream) => stream.followed.id)),
      originTxHashes: given(streams.map((stream) => stream.followed.originTxHash)),
      addresses: given(streams.map((stream) => stream.followed.address)),
      all: followers.length > 0,
    };
    const changes = await this.store.changes.since(watermark, followed, MOST_CHANGES);
    if (changes === null) {
      this.logger.warn({ streams: streams.length }, 'too many changes for one round; ending all event streams');
      this.endAll();
      for (const follower of followers) follower.end();
      return;
    }
    if (streams.length > 0) await this.deliver(streams, changes);
    for (const follower of followers) await follower.deliver(changes.changed, changes.watermark);
  }

  private async deliver(streams: readonly EventStream[], changes: OperationChanges): Promise<void> {
    const updates = new Map<string, Update[]>();
    for (const { update, operation, addresses } of await this.toUpdates(changes.changed)) {
      const { id, origin } = operation;
      for (const key of [id, ...(origin === null ? [] : [origin.txHash]), ...addresses])
        if (updates.get(key)?.push(update) === undefined) updates.set(key, [update]);
    }
    for (const stream of streams) stream.deliver(updates.get(getKey(stream)) ?? [], changes.watermark);
  }

  /** Converts changed operations to updates. Rejects when the database fails. */
  async toUpdates(changed: readonly ChangedOperation[]): Promise<(ChangedOperation & { readonly update: Update })[]> {
    const answers = await this.answers.answerAll(changed.map(({ operation }) => operation));
    return changed.map((each, index) => {
      const { operation, changedIn } = each;
      const data = JSON.stringify(answers[index]);
      const update = { operationId: operation.id, changedIn, isTerminal: isTerminal(operation.status), data };
      return { ...each, update };
    });
  }

  private isNeeded(): boolean {
    return this.streams.size + this.followers.size > 0 && !this.drain.signal.aborted;
  }

  /** Sleeps; ends early at shutdown. */
  private async pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.drain.signal }).catch(() => undefined);
  }

  private endAll(): void {
    for (const stream of this.streams) stream.end();
  }
}

/** Returns the subject that a stream follows. Ids, transaction hashes and addresses cannot collide. */
function getKey({ followed: { id, originTxHash, address } }: EventStream): string {
  return id ?? originTxHash ?? address ?? '';
}
