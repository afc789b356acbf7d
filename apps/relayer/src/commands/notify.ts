import { randomUUID } from 'node:crypto';
import { serviceVariables } from '@causeway/chain/configuration';
import { readVariables } from '@causeway/service/configuration';
import { z } from 'zod';
import {
  notificationVariables,
  readNotificationSettings,
  type NotificationSettings,
} from '../notification-variables.js';
import { ChannelError, createChannels } from '../notifications/channels.js';
import { composeMessage } from '../notifications/message.js';
import { CommandRefusedError } from './command-context.js';

const variables = z.object({ ENVIRONMENT: serviceVariables.shape.ENVIRONMENT, ...notificationVariables });

/** The variables of the command, which needs no key, node or database. */
export function readNotifySettings(env: NodeJS.ProcessEnv): NotificationSettings {
  const read = readVariables(variables, env);
  return readNotificationSettings(read, read.ENVIRONMENT);
}

/**
 * `relayer notify --test`: sends each configured channel a test message and its end, so that a pager closes the alert.
 *
 * @returns false when a channel did not accept both. Each result is printed.
 * @throws CommandRefusedError when no channel is configured.
 */
export async function testNotifications(
  settings: NotificationSettings,
  print: (line: string) => void,
): Promise<boolean> {
  const channels = createChannels(settings);
  if (channels.length === 0)
    throw new CommandRefusedError('No channel is configured: set NOTIFY_MAIL_URL, NOTIFY_CHAT_URL or NOTIFY_PAGER_URL');
  const now = new Date();
  const test = {
    // Each test has a new id, since a mail server may drop a message that it knows.
    notificationId: BigInt(`0x${randomUUID().slice(0, 8)}`),
    code: 'Test',
    subject: 'test',
    severity: 'critical',
    text: 'A test of the notifications. Nothing is wrong',
    beganAt: now,
    endedAt: now,
    attempts: 0,
    nextAttemptAt: null,
  } as const;
  let areAllAccepted = true;
  for (const { name, send } of channels) {
    try {
      for (const kind of ['begun', 'over'] as const)
        await send(composeMessage(settings, { ...test, kind }), new AbortController().signal);
      print(`${name}: accepted`);
    } catch (error) {
      if (!(error instanceof ChannelError)) throw error;
      areAllAccepted = false;
      print(`${name}: ${error.message}`);
    }
  }
  return areAllAccepted;
}
