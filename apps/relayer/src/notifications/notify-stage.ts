import type { Fence, PendingMessage, Store } from '@causeway/store';
import type { Logger } from 'pino';
import type { Clock } from '../infrastructure.js';
import type { RelayerMetrics } from '../metrics/relayer-metrics.js';
import type { NotificationSettings } from '../notification-variables.js';
import type { Stage } from '../pipeline/scheduler.js';
import { ChannelError, type Channel } from './channels.js';
import { composeMessage } from './message.js';

/** The delay after the first failure. Each further failure doubles it. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 900_000;

interface NotifyPort {
  readonly store: Pick<Store, 'notifications' | 'lease'>;
  readonly settings: Pick<NotificationSettings, 'environment' | 'docsUrl'>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<RelayerMetrics, 'notificationsWait' | 'notificationFailures'>;
  /** Aborts an attempt when the process ends. */
  readonly ending: AbortSignal;
}

/**
 * Sends the notifications of the outbox by one channel. Each channel has its own stage, so that an outage delays no
 * other. A run sends at most one message. Delivery is at least once: a crash between the channel's answer and the write
 * repeats the message under the same key.
 */
export class NotifyStage implements Stage {
  readonly name: string;

  constructor(
    private readonly channel: Channel,
    private readonly port: NotifyPort,
  ) {
    this.name = `notify-${channel.name}`;
  }

  async run(fence: Fence): Promise<boolean> {
    const { channel } = this;
    const { store, clock, metrics } = this.port;
    const now = clock.now();
    const pending = await store.notifications.findPending(channel, new Date(now));
    metrics.notificationsWait(channel.name, pending.length, computeOldestMs(pending, now));
    const next = pickNext(pending, now);
    return next !== null && this.send(fence, next);
  }

  /** @returns whether the channel accepted the message. */
  private async send(fence: Fence, pending: PendingMessage): Promise<boolean> {
    const { channel } = this;
    const { store, settings, clock, ending } = this.port;
    store.lease.assertHeld(fence);
    try {
      await channel.send(composeMessage(settings, pending), ending);
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      await this.postpone(fence, pending, error);
      return false;
    }
    await store.notifications.recordSent(fence, channel, pending, new Date(clock.now()));
    return true;
  }

  private async postpone(fence: Fence, pending: PendingMessage, { message: problem }: ChannelError): Promise<void> {
    const { channel } = this;
    const { store, clock, logger, metrics } = this.port;
    const { code, subject, attempts } = pending;
    metrics.notificationFailures.inc({ channel: channel.name });
    logger.warn(
      { channel: channel.name, code, subject, attempts, problem },
      'a notification was not sent; it will be retried',
    );
    const nextAttemptAt = new Date(clock.now() + computePauseMs(attempts));
    await store.notifications.recordFailure(fence, channel, pending, nextAttemptAt);
  }
}

/** The delay after a failure. `failures`: the number before it. */
export function computePauseMs(failures: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 20));
}

/** The oldest due message. Messages without a failure come first, so that a refused one delays no other. */
export function pickNext(pending: readonly PendingMessage[], now: number): PendingMessage | null {
  const due = pending.filter(({ nextAttemptAt }) => nextAttemptAt === null || nextAttemptAt.getTime() <= now);
  return due.find(({ attempts }) => attempts === 0) ?? due[0] ?? null;
}

function computeOldestMs(pending: readonly PendingMessage[], now: number): number {
  const times = pending.map(({ kind, beganAt, endedAt }) => ((kind === 'over' ? endedAt : null) ?? beganAt).getTime());
  return times.length === 0 ? 0 : Math.max(0, now - Math.min(...times));
}
