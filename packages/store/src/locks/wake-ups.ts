import { Prisma } from '../generated/prisma/client.js';
import type { NotificationListener } from './notification-listener.js';
import { execute } from '../sql/query.js';

/**
 * The writes of another process: an intent or the origin of one (`intents`), a halt, a retry or a cancellation
 * (`operator`), or the end of the lease (`lease`). `connected`: anything may have been missed.
 */
export type WakeUp = 'intents' | 'operator' | 'lease' | 'connected';

/** Listens for wake-ups until `stop`. */
export type WakeUpListener = NotificationListener<Exclude<WakeUp, 'connected'>>;

/** The writes that a writer announces. */
type Announced = Exclude<WakeUp, 'connected'>;

/** Where relayers listen. */
export const WAKE_UPS = { name: 'causeway_wake_up', payloads: ['intents', 'operator', 'lease'] } as const;

/** SQL of the expression that notifies the relayers when the transaction commits. */
export function notification(wakeUp: Announced): string {
  return `pg_notify('${WAKE_UPS.name}', '${wakeUp}')`;
}

/** Wakes the relayers when the caller's transaction commits. Equal notifications of a transaction arrive once. */
export async function wake(tx: Prisma.TransactionClient, wakeUp: Announced): Promise<void> {
  await execute(tx)`SELECT ${Prisma.raw(notification(wakeUp))}`;
}
