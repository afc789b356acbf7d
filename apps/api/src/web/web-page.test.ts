import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { PreviewService } from './preview.js';
import { readWebPage } from './web-page.js';

const SETTINGS = {
  apiUrl: 'https://api.example/api/v1',
  ethereum: { name: 'Ethereum', rpcUrls: ['https://eth.example'] },
  partner: { name: 'Partner', rpcUrls: ['https://partner.example'] },
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-web-'));
  write('index.html', '<title>Causeway</title>');
  write('settings.json', JSON.stringify(SETTINGS));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

describe('the folder of the page', () => {
  it('is refused without the page', () => {
    rmSync(join(folder, 'index.html'));
    expect(() => readWebPage(folder)).toThrow(/has no index.html: run npx/);
    expect(() => readWebPage(join(folder, 'nowhere'))).toThrow(/has no index.html: run npx/);
  });

  it('is refused without settings', () => {
    rmSync(join(folder, 'settings.json'));
    expect(() => readWebPage(folder)).toThrow(/settings.json is missing: see docs\/operate\/web.md/);
  });

  it('is refused with settings that are not JSON', () => {
    write('settings.json', '{');
    expect(() => readWebPage(folder)).toThrow(/settings.json is not JSON: /);
  });

  it('is refused with wrong URLs, each named', () => {
    const ethereum = { name: 'Ethereum', rpcUrls: ['https://eth.example', 'eth.example'] };
    const walletModules = [{ connect: ["https://relay.example 'unsafe-inline'"] }];
    write('settings.json', JSON.stringify({ ...SETTINGS, apiUrl: '//other.example', ethereum, walletModules }));
    expect(() => readWebPage(folder)).toThrow(
      /apiUrl of [^]*ethereum.rpcUrls.1 of [^]*walletModules.0.connect.0 of .*must be an http, https, ws or wss URL/,
    );
  });

  it('allows the page to call an API of another origin', () => {
    expect(readWebPage(folder).policies.get('/index.html')).toContain(' https://api.example;');
  });
});

describe('the preview of a transfer', () => {
  it.each([
    ['takes longer than half a second', async () => new Promise<never>(() => undefined)],
    ['fails', async () => Promise.reject(new Error('x'))],
  ])('is left out when the database %s', async (_, findByIdOrOriginTx) => {
    jest.useFakeTimers();
    const web = readWebPage(folder);
    const page = new PreviewService(web, { operations: { findByIdOrOriginTx } }).readPage(`0x${'1'.repeat(64)}`);
    await jest.advanceTimersByTimeAsync(500);
    expect(await page).toBe(web.page);
    jest.useRealTimers();
  });
});
