import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startMailServer, startWebhook, waitUntil, type ReceivedMail, type Receiver } from '@causeway/test-kit';
import { Pool } from 'pg';
import type { TestEnvironment } from '../temporary-environment.js';

// Two relayers of a running bridge, a mail server, a chat and a pager.

const DOCS = 'https://wiki.example/docs';
const RELAYERS = ['relayer-a', 'relayer-b'] as const;

let environment: TestEnvironment;
let sql: Pool;
let mail: Receiver<ReceivedMail>;
let chat: Receiver<unknown>;
let pager: Receiver<unknown>;
const receivers = () => [mail, chat, pager];

const startRelayer = (name: string) =>
  environment.startService('relayer', name, {
    NOTIFY_MAIL_URL: mail.url,
    NOTIFY_MAIL_FROM: 'bridge@example.org',
    NOTIFY_MAIL_TO: 'duty@example.org',
    NOTIFY_CHAT_URL: chat.url,
    NOTIFY_PAGER_URL: pager.url,
    NOTIFY_PAGER_KEY: 'routing-key',
    DOCS_URL: DOCS,
  });

async function command(...words: string[]): Promise<void> {
  const { code, output } = await environment.relayerCommand(...words);
  expect({ code, output }).toEqual({ code: 0, output });
}

const untilReceived = (count: number) =>
  waitUntil(`each channel has ${count} messages`, async () =>
    receivers().every(({ received }) => received.length >= count),
  );

/** The messages of each channel after the first `count`. */
const readAfter = (count: number) => ({
  chat: chat.received.slice(count),
  pager: pager.received.slice(count),
  mail: mail.received.slice(count).map(({ headers, text }) => ({ subject: headers['subject'], text })),
});

/** Expects one message in each channel that a halt began and one that it ended. */
function expectHalt(subject: string) {
  const link = `${DOCS}/runbook/#halted`;
  const text = (kind: string) => expect.stringMatching(new RegExp(`${kind}: Halted\\n.*${subject}.*\\n.*${link}`));
  const key = { routing_key: 'routing-key', dedup_key: `causeway/local/Halted/${subject}` };
  const links = [{ href: link, text: 'Runbook: Halted' }];
  return {
    chat: [{ text: text('critical') }, { text: text('over') }],
    pager: [
      { ...key, event_action: 'trigger', links, payload: expect.objectContaining({ severity: 'critical' }) },
      { ...key, event_action: 'resolve' },
    ],
    mail: ['critical', 'over'].map((kind) => ({
      subject: `[causeway local] ${kind}: Halted`,
      text: expect.stringContaining(link),
    })),
  };
}

export function describeNotifications(getEnvironment: () => TestEnvironment): void {
  describe('two relayers that notify people', () => {
    beforeAll(async () => {
      [mail, chat, pager] = await Promise.all([startMailServer(), startWebhook(), startWebhook()]);
      environment = getEnvironment();
      sql = new Pool({ connectionString: environment.stack.databaseUrl, max: 1 });
      sql.on('error', () => undefined);
      await environment.killRelayer();
      for (const name of RELAYERS) startRelayer(name);
      // Only a chain that has been read can be halted.
      await waitUntil(
        'both chains are read',
        async () => (await sql.query('SELECT 1 FROM chain_cursor')).rowCount === 2,
      );
    });
    afterAll(async () => {
      await sql?.end();
      for (const name of RELAYERS) await environment.processes.kill(name);
      await environment.restoreRelayer();
      await Promise.all(receivers().map((receiver) => receiver?.stop()));
    });

    it('send a halt and its end to mail, chat and pager once, with a link to the runbook', async () => {
      await command('halt', 'ethereum', 'a drill');
      await untilReceived(1);
      await command('resume', 'ethereum');
      await untilReceived(2);
      expect(readAfter(0)).toEqual(expectHalt('31337'));
    });

    it('leave a notification to the other relayer when one is killed before sending', async () => {
      for (const receiver of receivers()) receiver.isBroken = true;
      await command('halt', 'partner', 'a drill');
      const attempts = `SELECT 1 FROM notification_sending s JOIN notification n ON n.id = s.notification_id
        WHERE n.subject = '8901' AND s.attempts > 0`;
      await waitUntil('each channel has refused it', async () => (await sql.query(attempts)).rowCount === 3);
      const { rows } = await sql.query<{ name: string }>(`SELECT split_part(holder, ':', 1) AS name FROM lease`);
      await environment.processes.kill(rows[0]!.name);
      for (const receiver of receivers()) receiver.isBroken = false;
      await untilReceived(3);
      await command('resume', 'partner');
      await untilReceived(4);
      expect(readAfter(2)).toEqual(expectHalt('8901'));
      startRelayer(rows[0]!.name);
    });

    it('send a halt that began while no relayer ran', async () => {
      for (const name of RELAYERS) await environment.processes.kill(name);
      await command('halt', 'deliveries', 'a drill');
      expect(receivers().map(({ received }) => received.length)).toEqual([4, 4, 4]);
      startRelayer(RELAYERS[0]);
      await untilReceived(5);
      await command('resume', 'deliveries');
      await untilReceived(6);
      expect(readAfter(4)).toEqual(expectHalt('deliveries'));
    });
  });
}
