import type { AlertSeverity } from '@causeway/protocol/admin';
import type { Pool } from 'pg';
import type { PrismaClient } from '../generated/prisma/client.js';
import { fencedTransaction, type Fence } from '../locks/lease.js';
import { query } from '../sql/query.js';

/** A recurring cause is sent at most once in this time; its next message waits for the remainder. */
const QUIET_MS = 600_000;
/** Most rows of one query. */
const MOST = 500;

/** A channel that notifies people. */
export interface NotificationChannel {
  readonly name: string;
  /** Whether it takes only critical notifications. */
  readonly isForCriticalOnly: boolean;
}

/** A message that a channel has not accepted yet. */
export interface PendingMessage {
  readonly notificationId: bigint;
  /** `over`: the channel accepted the beginning, and the cause has ended. */
  readonly kind: 'begun' | 'over';
  /** The heading in the runbook. A newer program can write a code that this program does not know. */
  readonly code: string;
  readonly subject: string;
  readonly severity: AlertSeverity;
  readonly text: string;
  readonly beganAt: Date;
  /** Null while the cause lasts. */
  readonly endedAt: Date | null;
  /** Failed attempts so far. */
  readonly attempts: number;
  /** Null before the first attempt. */
  readonly nextAttemptAt: Date | null;
}

/** The outbox of notifications. Database triggers fill it (see the migration); the active relayer sends them. */
export class NotificationRepository {
  constructor(
    private readonly prisma: PrismaClient,
    private readonly pool: Pool,
  ) {}

  /**
   * The messages that a channel has yet to receive, oldest first, at most 500. A cause that ended before the channel
   * accepted its beginning is left out: both messages would be obsolete.
   */
  async findPending({ name, isForCriticalOnly }: NotificationChannel, now: Date): Promise<PendingMessage[]> {
    const quietSince = new Date(now.getTime() - QUIET_MS);
    const rows = await query<Omit<PendingMessage, 'notificationId'> & { readonly id: string }>(this.pool, {
      name: 'notifications-pending',
      // First what can wait, by partial indexes: most messages are old and sent.
      text: `
        SELECT n.id, CASE WHEN s.sent_at IS NULL THEN 'begun' ELSE 'over' END AS kind, n.code, n.subject, n.severity,
          n.text, n.created_at AS "beganAt", n.ended_at AS "endedAt", coalesce(s.attempts, 0) AS attempts,
          s.next_attempt_at AS "nextAttemptAt"
        FROM (
          SELECT id FROM notification WHERE ended_at IS NULL UNION SELECT id FROM notification WHERE is_event
          UNION SELECT notification_id FROM notification_sending WHERE channel = $1 AND over_sent_at IS NULL
        ) AS unsent
        CROSS JOIN LATERAL (SELECT * FROM notification WHERE id = unsent.id OFFSET 0) n
        LEFT JOIN notification_sending s ON s.notification_id = n.id AND s.channel = $1
        WHERE (n.severity = 'critical' OR NOT $2) AND CASE
          WHEN s.sent_at IS NOT NULL THEN n.ended_at IS NOT NULL AND s.over_sent_at IS NULL AND NOT n.is_event
          WHEN n.is_event THEN true
          ELSE n.ended_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM notification_sending e JOIN notification earlier ON earlier.id = e.notification_id
            WHERE e.channel = $1 AND e.sent_at > $3 AND earlier.code = n.code AND earlier.subject = n.subject) END
        ORDER BY n.id LIMIT ${MOST}`,
      values: [name, isForCriticalOnly, quietSince],
    });
    return rows.map(({ id, ...message }) => ({ notificationId: BigInt(id), ...message }));
  }

  /** Records that the channel accepted a message. */
  async recordSent(fence: Fence, channel: NotificationChannel, message: PendingMessage, at: Date): Promise<void> {
    const sent = message.kind === 'begun' ? { sentAt: at } : { overSentAt: at };
    await this.record(fence, channel, message, { ...sent, attempts: 0, nextAttemptAt: null });
  }

  /** Records a failed attempt. The message stays pending. */
  async recordFailure(
    fence: Fence,
    channel: NotificationChannel,
    message: PendingMessage,
    nextAttemptAt: Date,
  ): Promise<void> {
    await this.record(fence, channel, message, { attempts: message.attempts + 1, nextAttemptAt });
  }

  private async record(
    fence: Fence,
    { name: channel }: NotificationChannel,
    { notificationId }: PendingMessage,
    data: {
      readonly attempts: number;
      readonly nextAttemptAt: Date | null;
      readonly sentAt?: Date;
      readonly overSentAt?: Date;
    },
  ): Promise<void> {
    const key = { notificationId, channel };
    await fencedTransaction(this.prisma, fence, async (tx) => {
      await tx.notificationSending.upsert({
        where: { notificationId_channel: key },
        create: { ...key, ...data },
        update: data,
      });
    });
  }
}
