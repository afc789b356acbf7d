import { describe, expect, it } from '@jest/globals';
import { readVariables } from '@causeway/service/configuration';
import { z } from 'zod';
import { notificationVariables, readNotificationSettings } from './notification-variables.js';

const read = (env: Readonly<Record<string, string>>) =>
  readNotificationSettings(readVariables(z.object(notificationVariables), env), 'testnet');
const mail = {
  NOTIFY_MAIL_URL: 'smtps://user:geheim@mail.example',
  NOTIFY_MAIL_FROM: 'bridge@example.org',
  NOTIFY_MAIL_TO: 'a@example.org, b@example.org',
};
const pager = { NOTIFY_PAGER_URL: 'https://pager.example/geheim', NOTIFY_PAGER_KEY: 'geheim' };

describe('the channels', () => {
  it('are none by default', () => {
    const none = { mail: null, chat: null, pager: null };
    expect(read({})).toEqual({ environment: 'testnet', docsUrl: 'docs', ...none });
  });

  it('are those that are configured', () => {
    const chat = { NOTIFY_CHAT_URL: 'https://chat.example/hook', DOCS_URL: 'https://wiki.example/docs' };
    expect(read({ ...mail, ...pager, ...chat })).toEqual({
      environment: 'testnet',
      docsUrl: 'https://wiki.example/docs',
      mail: { url: mail.NOTIFY_MAIL_URL, from: 'bridge@example.org', to: ['a@example.org', 'b@example.org'] },
      chat: { url: 'https://chat.example/hook' },
      pager: { url: pager.NOTIFY_PAGER_URL, key: 'geheim' },
    });
  });

  it.each<[Readonly<Record<string, string>>, string]>([
    [{ ...mail, NOTIFY_MAIL_TO: '' }, 'NOTIFY_MAIL_TO is not set; NOTIFY_MAIL_URL and NOTIFY_MAIL_FROM need it'],
    [{ ...pager, NOTIFY_PAGER_URL: '' }, 'NOTIFY_PAGER_URL is not set; NOTIFY_PAGER_KEY needs it'],
    [{ ...mail, NOTIFY_MAIL_URL: 'https://geheim' }, 'NOTIFY_MAIL_URL must be an smtp:// or smtps:// address'],
    [{ ...mail, NOTIFY_MAIL_URL: 'smtp://geheim?logger=true' }, 'smtps:// address without a query'],
    [{ ...mail, NOTIFY_MAIL_TO: 'a@b, geheim' }, 'NOTIFY_MAIL_TO must be mail addresses, separated by commas'],
    [{ NOTIFY_CHAT_URL: 'geheim' }, 'NOTIFY_CHAT_URL must be an https:// or http:// address'],
  ])('of %j are refused', (env, problem) => {
    expect(() => read(env)).toThrow(problem);
    expect(() => read(env)).not.toThrow('geheim');
  });
});
