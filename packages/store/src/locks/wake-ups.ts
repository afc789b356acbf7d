import { Prisma } from '../generated/prisma/client.js';
import type { NotificationListener } from './notification-listener.js';
import { execute } from '../sql/query.js';

/**
 * A write of another process: an intent or its proposed origin (`intents`), an operator's action such as a halt, a
 * retry or a cancellation (`operator`), or the end of the lease (`lease`). `connected`: wake-ups may have been missed.
 */
export type WakeUp = 'intents' | 'operator' | 'lease' | 'connected';

/** Listens for wake-ups until `stop`. */
export type WakeUpListener = NotificationListener<Exclude<WakeUp, 'connected'>>;

/** The wake-ups that a writer sends. */
type Announced = Exclude<WakeUp, 'connected'>;

/** The channel on which relayers listen. */
export const WAKE_UPS = { name: 'causeway_wake_up', payloads: ['intents', 'operator', 'lease'] } as const;

/** SQL expression that notifies the relayers when the transaction commits. */
export function notification(wakeUp: Announced): string {
  return `pg_notify('${WAKE_UPS.name}', '${wakeUp}')`;
}

/** Wakes the relayers when the caller's transaction commits. Equal notifications of a transaction arrive once. */
export async function wake(tx: Prisma.TransactionClient, wakeUp: Announced): Promise<void> {
  await execute(tx)`SELECT ${Prisma.raw(notification(wakeUp))}`;
}
