import { getRunbook } from '@causeway/protocol/admin';
import type { PendingMessage } from '@causeway/store';
import type { NotificationSettings } from '../notification-variables.js';

/** A message as people read it, on any channel. */
export interface Message extends Pick<PendingMessage, 'kind' | 'code' | 'severity' | 'text' | 'beganAt'> {
  /** One line, such as `[causeway testnet] critical: Halted`. */
  readonly title: string;
  /** The time and the link, on one line. */
  readonly footer: string;
  /** The runbook section of this code. */
  readonly link: string;
  readonly environment: string;
  /** Shared by the messages of the beginning and the end, and by every retry of them. */
  readonly dedupKey: string;
  /** Unique to this message and shared by its retries. */
  readonly id: string;
}

/** Composes the message of a notification. */
export function composeMessage(
  { environment, docsUrl }: Pick<NotificationSettings, 'environment' | 'docsUrl'>,
  { notificationId, kind, code, subject, severity, text, beganAt, endedAt }: PendingMessage,
): Message {
  const link = getRunbook(code, docsUrl);
  const time =
    kind === 'begun'
      ? `Since ${beganAt.toISOString()}`
      : `From ${beganAt.toISOString()} to ${endedAt?.toISOString() ?? 'now'}`;
  return {
    kind,
    code,
    severity,
    text,
    beganAt,
    link,
    environment,
    title: `[causeway ${environment}] ${kind === 'begun' ? severity : 'over'}: ${code}`,
    footer: `${time}. Runbook: ${link}`,
    dedupKey: `causeway/${environment}/${code}/${subject}`,
    id: `${environment}.${notificationId}.${kind}`,
  };
}
