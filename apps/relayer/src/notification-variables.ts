import { ConfigurationError, docsUrl, isUrl, list } from '@causeway/service/configuration';
import type { Environment } from '@causeway/protocol';
import { z } from 'zod';

/** Where notifications are sent. A channel that is not configured is null. The URLs and the key are secrets. */
export interface NotificationSettings {
  /** Named in the messages, since operators have several environments. */
  readonly environment: Environment;
  /** Where links to the runbook lead: see `linkToDocs`. */
  readonly docsUrl: string;
  readonly mail: { readonly url: string; readonly from: string; readonly to: readonly string[] } | null;
  readonly chat: { readonly url: string } | null;
  readonly pager: { readonly url: string; readonly key: string } | null;
}

const MAIL_RULE = 'must be an smtp:// or smtps:// address without a query';
const WEB_RULE = 'must be an https:// or http:// address';
const TO_RULE = 'must be mail addresses, separated by commas';
const isMailAddress = (text: string) => /^[^\s@<>]+@[^\s@<>]+$/.test(text);

const webhook = z.string(WEB_RULE).refine((text) => isUrl(text, ['https:', 'http:']), WEB_RULE);

/** The variables of the notification channels. */
export const notificationVariables = {
  NOTIFY_MAIL_URL: z
    .string(MAIL_RULE)
    // The mail library reads options from the query, such as one that logs everything it sends.
    .refine((text) => isUrl(text, ['smtp:', 'smtps:']) && !text.includes('?'), MAIL_RULE)
    .optional()
    .meta({
      description:
        'Mail server for notifications, such as smtps://user:password@mail.example. A password requires TLS.',
      isSecret: true,
    }),
  NOTIFY_MAIL_FROM: z
    .string('must be a mail address')
    .refine(isMailAddress, 'must be a mail address')
    .optional()
    .describe('Sender of the mails.'),
  NOTIFY_MAIL_TO: list(TO_RULE, isMailAddress).optional().describe('Recipients of the mails.'),
  NOTIFY_CHAT_URL: webhook.optional().meta({
    description: 'Incoming webhook of a chat that accepts {"text"}: Slack, Mattermost, Rocket.Chat and others.',
    isSecret: true,
  }),
  NOTIFY_PAGER_URL: webhook.optional().meta({
    description:
      'Webhook for critical notifications, in PagerDuty Events v2 format: https://events.pagerduty.com/v2/enqueue.',
    isSecret: true,
  }),
  NOTIFY_PAGER_KEY: z
    .string('must be the routing key')
    .optional()
    .meta({ description: 'Routing key for NOTIFY_PAGER_URL.', isSecret: true }),
  DOCS_URL: docsUrl,
};

/** @throws ConfigurationError for a channel of which only some variables are set. */
export function readNotificationSettings(
  env: z.output<z.ZodObject<typeof notificationVariables>>,
  environment: Environment,
): NotificationSettings {
  const { NOTIFY_MAIL_URL: mailUrl, NOTIFY_MAIL_FROM: from, NOTIFY_MAIL_TO: to } = env;
  const { NOTIFY_CHAT_URL: chatUrl, NOTIFY_PAGER_URL: pagerUrl, NOTIFY_PAGER_KEY: key } = env;
  const problems = [
    ...findMissing({ NOTIFY_MAIL_URL: mailUrl, NOTIFY_MAIL_FROM: from, NOTIFY_MAIL_TO: to }),
    ...findMissing({ NOTIFY_PAGER_URL: pagerUrl, NOTIFY_PAGER_KEY: key }),
  ];
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    environment,
    docsUrl: env.DOCS_URL,
    mail: mailUrl === undefined || from === undefined || to === undefined ? null : { url: mailUrl, from, to },
    chat: chatUrl === undefined ? null : { url: chatUrl },
    pager: pagerUrl === undefined || key === undefined ? null : { url: pagerUrl, key },
  };
}

/** A line for each unset variable of a channel that is otherwise configured. */
function findMissing(variables: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(variables);
  const given = entries.filter(([, value]) => value !== undefined).map(([name]) => name);
  if (given.length === 0) return [];
  return entries
    .filter(([, value]) => value === undefined)
    .map(([name]) => `${name} is not set; ${given.join(' and ')} ${given.length === 1 ? 'needs' : 'need'} it`);
}
