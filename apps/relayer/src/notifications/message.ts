import type { PendingMessage } from '@causeway/store';
import type { NotificationSettings } from '../notification-variables.js';

/** A message as people read it, whatever the channel. */
export interface Message extends Pick<PendingMessage, 'kind' | 'code' | 'severity' | 'text' | 'beganAt'> {
  /** One line, such as `[causeway testnet] critical: Halted`. */
  readonly title: string;
  /** The time and the link, in a line. */
  readonly footer: string;
  /** The page and the heading of the runbook. */
  readonly link: string;
  readonly environment: string;
  /** The same for the message that the cause is over, and whenever one of them is sent again. */
  readonly dedupKey: string;
  /** The same whenever this message is sent again, and in no other one. */
  readonly id: string;
}

/** Puts a notification into words. */
export function composeMessage(
  { environment, runbookUrl }: Pick<NotificationSettings, 'environment' | 'runbookUrl'>,
  { notificationId, kind, code, subject, severity, text, beganAt, endedAt }: PendingMessage,
): Message {
  const link = `${runbookUrl}#${code.toLowerCase()}`;
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
