import { once } from 'node:events';
import type { NotificationChannel } from '@causeway/store';
import { createTransport } from 'nodemailer';
import type { NotificationSettings } from '../notification-variables.js';
import type { Message } from './message.js';

/** Milliseconds before an attempt is aborted. */
const TIMEOUT_MS = 10_000;
/** PagerDuty's limit for a summary. */
const MOST_OF_SUMMARY = 1_024;

/** A way to notify people. */
export interface Channel extends NotificationChannel {
  /**
   * Sends a message. It may have arrived even when this rejects; it is then sent again.
   *
   * @param ending aborts the attempt when the process ends.
   * @throws ChannelError
   */
  readonly send: (message: Message, ending: AbortSignal) => Promise<void>;
}

/** A channel did not accept a message. The error text never contains an address or a key, which are secrets. */
export class ChannelError extends Error {
  override readonly name = 'ChannelError';
}

export function createChannels({ mail, chat, pager }: NotificationSettings): readonly Channel[] {
  return [
    ...(mail === null ? [] : [createMailChannel(mail)]),
    ...(chat === null ? [] : [createChatChannel(chat)]),
    ...(pager === null ? [] : [createPagerChannel(pager)]),
  ];
}

function createMailChannel({ url, from, to }: NonNullable<NotificationSettings['mail']>): Channel {
  const { username, hostname } = new URL(url);
  // The transport's own log would contain the dialogue with the server, including secrets.
  const transport = createTransport({
    url,
    logger: false,
    debug: false,
    requireTLS: username !== '',
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    name: 'mail',
    isForCriticalOnly: false,
    send: async ({ title, text, footer, id }, ending) => {
      const messageId = `<${id}@${from.split('@')[1] ?? hostname}>`;
      const mail = { from, to: [...to], subject: title, text: `${text}\n\n${footer}\n`, messageId };
      try {
        await Promise.race([transport.sendMail(mail), rejectWhenOver(ending)]);
      } catch (error) {
        throw new ChannelError(`the mail server did not accept the message (${nameCodes(error)})`);
      }
    },
  };
}

/** The mail library takes no abort signal: an aborted attempt continues in the background until its own timeout. */
async function rejectWhenOver(ending: AbortSignal): Promise<never> {
  const signal = AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)]);
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason as Error;
}

function createChatChannel({ url }: NonNullable<NotificationSettings['chat']>): Channel {
  return {
    name: 'chat',
    isForCriticalOnly: false,
    send: async ({ title, text, footer }, ending) => post(url, { text: `${title}\n${text}\n${footer}` }, ending),
  };
}

function createPagerChannel({ url, key }: NonNullable<NotificationSettings['pager']>): Channel {
  return {
    name: 'pager',
    isForCriticalOnly: true,
    send: async ({ kind, code, severity, text, link, environment, dedupKey, beganAt }, ending) => {
      const call = { routing_key: key, event_action: kind === 'begun' ? 'trigger' : 'resolve', dedup_key: dedupKey };
      const payload = {
        summary: `${code}: ${text}`.slice(0, MOST_OF_SUMMARY),
        source: `causeway ${environment}`,
        severity,
        timestamp: beganAt.toISOString(),
        class: code,
        custom_details: { runbook: link },
      };
      const links = isLink(link) ? { links: [{ href: link, text: `Runbook: ${code}` }] } : {};
      await post(url, kind === 'begun' ? { ...call, payload, ...links } : call, ending);
    },
  };
}

/** The runbook's default address is a path in the repository, not a link. */
function isLink(text: string): boolean {
  return URL.canParse(text);
}

async function post(url: string, body: object, ending: AbortSignal): Promise<void> {
  let status: number;
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'manual',
      signal: AbortSignal.any([ending, AbortSignal.timeout(TIMEOUT_MS)]),
    });
    ({ status } = response);
    await response.body?.cancel();
  } catch (error) {
    throw new ChannelError(`the webhook does not answer (${nameCodes(error)})`);
  }
  if (status < 200 || status > 299) throw new ChannelError(`the webhook answered with ${status}`);
}

/** The codes of an error from the network or a mail server. Their messages may contain an address or a password. */
function nameCodes(error: unknown): string {
  const { cause, originalCode, code, responseCode, name } = error as Readonly<Record<string, unknown>>;
  const inner = (cause ?? {}) as Readonly<Record<string, unknown>>;
  const codes = [originalCode ?? code ?? inner['code'], responseCode];
  const known = codes.filter((each) => typeof each === 'string' || typeof each === 'number');
  return known.length > 0 ? known.join(' ') : String(name);
}
