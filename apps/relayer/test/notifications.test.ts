import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate, openStore, type Fence, type Store } from '@causeway/store';
import {
  ETHEREUM,
  PARTNER,
  startMailServer,
  startSilentServer,
  startWebhook,
  temporaryDatabase,
  type PostgresServer,
  type ReceivedMail,
  type Receiver,
} from '@causeway/test-kit';
import { pino } from 'pino';
import { testNotifications } from '../src/commands/notify.js';
import { RelayerMetrics } from '../src/metrics/relayer-metrics.js';
import type { NotificationSettings } from '../src/notification-variables.js';
import { Notifiers } from '../src/notifications/notifiers.js';

// The notification stages with a real database, a mail server and webhooks.

let database: PostgresServer;
let store: Store;
let fence: Fence;
let mail: Receiver<ReceivedMail>;
let chat: Receiver<unknown>;
let pager: Receiver<unknown>;
let settings: NotificationSettings;
/** Each test has its own hour, so that causes of the previous test do not suppress notifications. */
let hours = 0;
let logged: string[] = [];

beforeAll(async () => {
  database = await temporaryDatabase(migrate);
  store = openStore({ databaseUrl: database.url, onIdleError: () => undefined });
  fence = (await store.lease.acquire('relayer', 'test', 600_000))!;
  for (const chainId of [ETHEREUM, PARTNER]) await store.scan.begin(fence, chainId, 1n);
});
beforeEach(async () => {
  hours += 1;
  logged = [];
  [mail, chat, pager] = await Promise.all([startMailServer(), startWebhook(), startWebhook()]);
  settings = {
    environment: 'testnet',
    docsUrl: 'https://wiki.example/docs',
    mail: { url: mail.url, from: 'bridge@example.org', to: ['a@example.org', 'b@example.org'] },
    chat: { url: chat.url },
    pager: { url: pager.url, key: 'routing-key' },
  };
});
afterEach(async () => {
  for (const halt of await store.halts.list()) await store.halts.lift(halt);
  for (const stage of start().notifiers.stages) while (await stage.run(fence));
  await Promise.all([mail, chat, pager].map((receiver) => receiver.stop()));
});
afterAll(async () => {
  await store.close();
  await database.stop();
});

/** The stages of a relayer. `minutes`: how far its clock is ahead. */
function start(minutes = 0, on = store) {
  const now = () => Date.now() + hours * 3_600_000 + minutes * 60_000;
  const logger = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) });
  const metrics = new RelayerMetrics();
  const notifiers = new Notifiers(on, { notifications: settings } as never, { now }, logger, metrics);
  return { notifiers, metrics };
}

/** Runs each stage until it has nothing to send. */
async function sendAll(minutes = 0): Promise<RelayerMetrics> {
  const { notifiers, metrics } = start(minutes);
  for (const stage of notifiers.stages) while (await stage.run(fence));
  return metrics;
}

const resume = async () => {
  for (const halt of await store.halts.list()) await store.halts.lift(halt);
};
const scrape = async (metrics: RelayerMetrics, name: string) =>
  (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith(`causeway_relayer_${name}{`));

describe('a halt', () => {
  it('is sent to mail, chat and pager with a link, and so is its end', async () => {
    await store.halts.halt(ETHEREUM, `lost ${'final '.repeat(30)}blocks`);
    await sendAll();
    await sendAll();
    const text = `Chain ${ETHEREUM} is halted: lost ${'final '.repeat(30)}blocks`;
    const link = 'https://wiki.example/docs/runbook/#halted';
    expect(mail.received).toMatchObject([
      {
        to: ['a@example.org', 'b@example.org'],
        headers: { subject: '[causeway testnet] critical: Halted', from: 'bridge@example.org' },
      },
    ]);
    for (const part of [text, `Runbook: ${link}`]) expect(mail.received[0]?.text).toContain(part);
    expect(chat.received).toEqual([{ text: expect.stringContaining(link) }]);
    const call = { routing_key: 'routing-key', dedup_key: `causeway/testnet/Halted/${ETHEREUM}` };
    const trigger = {
      ...call,
      event_action: 'trigger',
      payload: expect.objectContaining({ summary: `Halted: ${text}`, severity: 'critical' }),
      links: [{ href: link, text: 'Runbook: Halted' }],
    };
    expect(pager.received).toEqual([trigger]);
    await resume();
    await sendAll();
    await sendAll();
    expect(mail.received.map(({ headers }) => headers['subject'])).toEqual([
      '[causeway testnet] critical: Halted',
      '[causeway testnet] over: Halted',
    ]);
    expect(new Set(mail.received.map(({ headers }) => headers['message-id'])).size).toBe(2);
    expect(chat.received).toEqual([
      expect.anything(),
      { text: expect.stringMatching(/over: Halted\n.*\nFrom .* to /) },
    ]);
    expect(pager.received).toEqual([trigger, { ...call, event_action: 'resolve' }]);
  });

  it('is sent again under the same key by another relayer, if the first ended before it recorded the answer', async () => {
    await store.halts.halt(PARTNER, 'a test');
    // A holder that lost the lease in the meantime: its write is refused after the channels accepted the message.
    const lost = { ...fence, token: fence.token - 1n };
    const lease = { assertHeld: () => undefined };
    for (const stage of start(0, { ...store, lease: lease as never }).notifiers.stages)
      await expect(stage.run(lost)).rejects.toThrow('does not hold');
    await sendAll();
    const [first, second] = pager.received as { readonly dedup_key: string }[];
    expect(first?.dedup_key).toBe(second?.dedup_key);
    expect(new Set(mail.received.map(({ headers }) => headers['message-id'])).size).toBe(1);
    expect([mail, chat, pager].map(({ received }) => received.length)).toEqual([2, 2, 2]);
  });

  it('is not sent by a process that does not hold the lease', async () => {
    await store.halts.halt(PARTNER, 'a test');
    const { notifiers } = start();
    for (const stage of notifiers.stages)
      await expect(stage.run({ ...fence, token: fence.token - 1n })).rejects.toThrow('does not hold');
    expect([mail, chat, pager].map(({ received }) => received.length)).toEqual([0, 0, 0]);
  });
});

describe('a channel that is down', () => {
  it('delays no other channel, is retried after a delay, and shows in the metrics', async () => {
    await store.halts.halt(PARTNER, 'a test');
    chat.isBroken = true;
    const metrics = await sendAll();
    expect([mail, pager].map(({ received }) => received.length)).toEqual([1, 1]);
    expect(await scrape(metrics, 'notification_failures_total')).toEqual([
      expect.stringContaining('{channel="chat"} 1'),
    ]);
    chat.isBroken = false;
    const waiting = await sendAll();
    expect(chat.received).toEqual([]);
    expect(await scrape(waiting, 'notifications_pending')).toContain(
      'causeway_relayer_notifications_pending{channel="chat"} 1',
    );
    const oldest = (await scrape(waiting, 'notifications_oldest_seconds')).find((line) => line.includes('chat'));
    expect(Number(oldest?.split(' ')[1])).toBeGreaterThanOrEqual(3_600);
    await sendAll(1);
    expect(chat.received).toHaveLength(1);
  });

  it('does not receive what began and ended in the meantime', async () => {
    await store.halts.halt(PARTNER, 'a test');
    mail.isBroken = true;
    await sendAll();
    await resume();
    mail.isBroken = false;
    await sendAll(1);
    expect(mail.received).toEqual([]);
    expect(chat.received).toHaveLength(2);
  });

  it('has neither its address nor its key in the log', async () => {
    await store.halts.halt(PARTNER, 'a test');
    const { port, stop } = await startSilentServer();
    stop();
    settings = {
      ...settings,
      mail: { ...settings.mail!, url: `smtp://user:secret-password@127.0.0.1:${port}` },
      chat: { url: `http://127.0.0.1:${port}/secret-token` },
      pager: { url: pager.url, key: 'secret-key' },
    };
    pager.isBroken = true;
    await sendAll();
    const lines = logged.filter((line) => line.includes('not sent'));
    expect(lines).toEqual([
      expect.stringContaining('ECONNREFUSED'),
      expect.stringContaining('ECONNREFUSED'),
      expect.stringContaining('503'),
    ]);
    expect(logged.join()).not.toContain('secret');
  });

  it('receives no password without TLS', async () => {
    await store.halts.halt(PARTNER, 'a test');
    settings = { ...settings, mail: { ...settings.mail!, url: mail.url.replace('//', '//user:password@') } };
    await sendAll();
    expect(mail.received).toEqual([]);
    expect(logged.find((line) => line.includes('"channel":"mail"'))).toContain('ETLS');
  });

  it('does not delay the release of the lease at the end of the process', async () => {
    await store.halts.halt(PARTNER, 'a test');
    const silent = await startSilentServer();
    settings = {
      ...settings,
      mail: { ...settings.mail!, url: `smtp://127.0.0.1:${silent.port}` },
      chat: { url: `http://127.0.0.1:${silent.port}` },
      pager: null,
    };
    const { notifiers } = start();
    const runs = Promise.all(notifiers.stages.map((stage) => stage.run(fence)));
    await silent.connected(2);
    notifiers.beforeApplicationShutdown();
    expect(await runs).toEqual([false, false]);
    silent.stop();
  });
});

describe('relayer notify --test', () => {
  const lines: string[] = [];
  const test = async () => testNotifications(settings, (line) => void lines.push(line));
  beforeEach(() => void lines.splice(0));

  it('sends a message and its end to each channel, and reports that they were accepted', async () => {
    expect(await test()).toBe(true);
    expect(lines).toEqual(['mail: accepted', 'chat: accepted', 'pager: accepted']);
    expect([mail, chat, pager].map(({ received }) => received.length)).toEqual([2, 2, 2]);
    expect(pager.received).toMatchObject([{ event_action: 'trigger' }, { event_action: 'resolve' }]);
  });

  it('names each channel that did not accept the message, and tries the others', async () => {
    chat.isBroken = true;
    expect(await test()).toBe(false);
    expect(lines).toEqual(['mail: accepted', 'chat: the webhook answered with 503', 'pager: accepted']);
  });

  it('is refused when no channel is configured', async () => {
    settings = { ...settings, mail: null, chat: null, pager: null };
    await expect(test()).rejects.toThrow('No channel is configured: set NOTIFY_MAIL_URL');
  });
});
