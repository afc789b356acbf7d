import { AxeBuilder } from '@axe-core/playwright';
import { injectWallet, isLong, testAccount, waitUntil } from '@causeway/test-kit';
import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { heading, useConsole } from './console-browser.js';
import { attesters, hash, HOSTILE, operationRow } from './fixtures.js';

// The built console in Chromium with its real policy, against an admin API of fixtures.

const PAGES = {
  '/': 'Overview',
  '/operations': 'Operations',
  [`/operations/${hash('ab')}`]: 'Operation',
  '/intents': 'Intents',
  '/refunds': 'Refunds',
  [`/refunds/${hash('e1')}`]: 'Refund',
  '/approvals': 'Approvals',
  [`/approvals/${hash('f1')}`]: 'Approve the refund',
  '/fees-and-limits': 'Fees and limits',
  '/pauses-and-halts': 'Pauses and halts',
  '/relayers': 'Relayers',
  '/alerts': 'Alerts',
  '/audit': 'Audit log',
  '/settings': 'Settings',
} as const;

const { server, open, watch, origin } = useConsole();

/** Returns the serious and critical findings of axe as sentences. In the dark theme only those about colours. */
async function seriousFindings(page: Page, colorScheme: 'light' | 'dark'): Promise<readonly string[]> {
  const axe = new AxeBuilder({ page }).setLegacyMode();
  const { violations } = await (colorScheme === 'light' ? axe : axe.withRules(['color-contrast'])).analyze();
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
    );
}

/** The nightly run includes the second theme, and wider windows. */
const THEMES = isLong ? (['light', 'dark'] as const) : (['light'] as const);
const WIDTHS = isLong ? [320, 390, 1_280] : [320];

describe.each(THEMES)('every page, in the %s theme', (colorScheme) => {
  it('has no serious finding of axe', async () => {
    server.rows = 6;
    const page = await open({ colorScheme, reducedMotion: 'reduce', viewport: { width: 1280, height: 2_400 } });
    const findings: string[] = [];
    for (const [path, title] of Object.entries(PAGES)) {
      await page.goto(path);
      await heading(page, title);
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
      findings.push(...(await seriousFindings(page, colorScheme)).map((finding) => `${path} ${finding}`));
    }
    expect(findings).toEqual([]);
  }, 240_000);

  it('has no serious finding of axe in its dialogs and the palette', async () => {
    const dialogs: readonly (readonly [path: string, button: string])[] = [
      [`/refunds/${hash('e1')}`, 'Approve to the payer'],
      [`/approvals/${hash('f1')}`, 'Approve'],
      ['/fees-and-limits', 'Prepare a contract call'],
    ];
    const page = await open({ colorScheme, reducedMotion: 'reduce' });
    const findings: string[] = [];
    for (const [path, button] of dialogs) {
      await page.goto(path);
      await page.getByRole('button', { name: button, exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).waitFor();
      findings.push(...(await seriousFindings(page, colorScheme)).map((finding) => `${button} ${finding}`));
    }
    await page.goto('/');
    await heading(page, 'Overview');
    await page.keyboard.press('Control+k');
    await page.getByRole('menuitem').first().waitFor();
    findings.push(...(await seriousFindings(page, colorScheme)).map((finding) => `palette ${finding}`));
    expect(findings).toEqual([]);
  }, 240_000);
});

describe('every page', () => {
  it.each(WIDTHS)('fits a window of %i pixels, without scrolling sideways', async (pixels) => {
    const page = await open({ viewport: { width: pixels, height: 4_000 } });
    const wide: string[] = [];
    for (const [path, title] of Object.entries(PAGES)) {
      await page.goto(path);
      await heading(page, title);
      await page.getByText('Loading').first().waitFor({ state: 'detached' });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > pixels) wide.push(`${path}: ${width}`);
      const cutOff = await page.getByRole('region', { name: 'scrolls sideways' }).count();
      if (cutOff > 0) wide.push(`${path}: ${cutOff} tables are cut off`);
    }
    expect(wide).toEqual([]);
  });

  it('shows the message of an error, and retries', async () => {
    server.mode = 'error';
    const page = await open();
    for (const [path, title] of Object.entries(PAGES)) {
      await page.goto(path);
      await heading(page, title === 'Approve the refund' ? 'Request' : title);
      await page
        .getByText(/must be a whole number/)
        .first()
        .waitFor();
    }
    server.mode = 'full';
    await page.goto('/alerts');
    server.mode = 'error';
    await page.goto('/refunds');
    await page.getByText(/limit of \/refunds must be/).waitFor();
    server.mode = 'full';
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByRole('table', { name: 'Refunds' }).waitFor();
    expect(await page.getByText(/limit of \/refunds/).count()).toBe(0);
  });

  it('shows empty states', async () => {
    server.mode = 'empty';
    const page = await open();
    const lists = ['/operations', '/intents', '/refunds', '/approvals', '/alerts', '/audit'];
    const words = [/No operations match/, /No intents/, /No refunds/, /No requests/, /Nothing needs/, /No rows/];
    for (const [index, path] of lists.entries()) {
      await page.goto(path);
      await page.getByText(words[index]!).waitFor();
    }
    await page.goto('/fees-and-limits');
    await page.getByText('No calls are pending in the timelock.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows grey bars while data loads', async () => {
    server.mode = 'hang';
    const page = await open();
    for (const path of ['/operations', '/relayers', '/audit']) {
      await page.goto(path);
      await page.getByText('Loading').first().waitFor();
    }
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('shows texts of users and chains as text', async () => {
    const page = await open();
    await page.goto(`/operations/${hash('ab')}`);
    await page.getByText(HOSTILE).waitFor();
    await page.goto('/alerts');
    await page.getByText(HOSTILE).waitFor();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });
});

describe('sign-in', () => {
  const account = testAccount(1);

  async function openWithWallet(path: string) {
    server.role = null;
    server.address = account.address.toLowerCase() as `0x${string}`;
    const watched = await watch();
    const wallet = await injectWallet(watched.context, 'Test wallet', account, { 31_337: 'http://127.0.0.1:1' });
    await watched.page.goto(path);
    await heading(watched.page, 'Sign in to the console');
    return { page: watched.page, wallet };
  }

  it('works by keyboard, and returns to the requested page', async () => {
    const { page } = await openWithWallet('/refunds?status=REQUESTED');
    await page.getByRole('button', { name: 'Test wallet' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await heading(page, 'Refunds');
    expect(page.url()).toBe(`${origin()}/refunds?status=REQUESTED`);
    const { message } = server.changes.at(-1)!.body as { message: string };
    expect(message.split('\n').slice(0, 2)).toEqual([
      `${new URL(origin()).host} wants you to sign in with your Ethereum account:`,
      account.address,
    ]);
    expect(message).toContain(`\nURI: ${origin()}\nVersion: 1\nChain ID: 31337\nNonce: abcdef0123456789\n`);
  });

  it('reports a refusal of the wallet, and lets a person stop waiting for a silent wallet', async () => {
    const { page, wallet } = await openWithWallet('/');
    wallet.mood = 'refuse';
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText('The wallet refused the request. Nothing was signed').waitFor();
    wallet.mood = 'stall';
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByText('You stopped waiting for the wallet.').waitFor();
    expect(server.changes.map(({ path }) => path)).not.toContain('/sign-in');
  });

  it('leads to sign-in when the session ends, and shows why sign-in was refused', async () => {
    const { page } = await openWithWallet('/alerts');
    server.answers.set('POST /sign-in', () => ({
      status: 401,
      body: { error: 'SIGN_IN_REFUSED', message: 'The account is not on the allow-list.' },
    }));
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await page.getByText('The account is not on the allow-list.').waitFor();
    server.answers.clear();
    await page.getByRole('button', { name: 'Test wallet' }).click();
    await heading(page, 'Alerts');
    server.role = null;
    server.emit('resync', {});
    await heading(page, 'Sign in to the console');
    expect(new URL(page.url()).searchParams.get('next')).toBe('/alerts');
  });
});

describe('an operation or refund that waits for attesters', () => {
  it.each([
    ['operations', 'ab'],
    ['refunds', 'e1'],
  ])('has a row for each attester on the page of %s', async (list, letters) => {
    const path = `/${list}/${hash(letters)}`;
    server.reads.set(path, { attesters: attesters() });
    const page = await open({ viewport: { width: 320, height: 4_000 } });
    await page.goto(path);
    const table = page.getByRole('table', { name: 'Attester answers' });
    await table.waitFor();
    const rows = await table.getByRole('row').allTextContents();
    expect(rows.slice(1)).toEqual([
      expect.stringMatching(/0xa7a7.*Signs/),
      expect.stringMatching(/0xb7b7.*Refuses.*Wrong amount\. /),
      expect.stringMatching(/0xc7c7.*Not yet.*Its origin is not final\./),
      expect.stringMatching(/0xd7d7.*No answer/),
    ]);
    expect(rows[2]).toContain(HOSTILE);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    expect(await seriousFindings(page, 'light')).toEqual([]);
  });
});

describe('live updates', () => {
  it('show a new operation, and its later status, in the list', async () => {
    const page = await open();
    await page.goto('/operations');
    await page.getByRole('table', { name: 'Operations' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const row = { ...operationRow(0), id: hash('5e'), status: 'CONFIRMING', createdAt: new Date().toISOString() };
    server.emit('operation', row);
    const shown = page.getByRole('row', { name: /0x5e5e5e/ });
    await shown.getByText('Confirming').waitFor();
    server.emit('operation', { ...row, status: 'COMPLETED' });
    await shown.getByText('Completed').waitFor();
    expect(await page.getByRole('row', { name: /0x5e5e5e/ }).count()).toBe(1);
  });

  it('warn of an outdated page while the stream is down, and resume afterwards', async () => {
    const page = await open();
    await page.clock.install();
    await page.goto('/alerts');
    await page.getByText('Live', { exact: true }).waitFor();
    server.setStreams(false);
    await page.getByText('Connecting', { exact: true }).waitFor();
    await page.clock.runFor(12_000);
    await page.getByText(/This page may be out of date: no live updates since/).waitFor();
    server.setStreams(true);
    await page.clock.runFor(5_000);
    await page.getByText('Live', { exact: true }).waitFor();
    expect(await page.getByText(/This page may be out of date/).count()).toBe(0);
  });
});

/** Runs in the page: returns whether an element is inside its dialog. */
function isInView(element: Element): boolean {
  const frame = element.closest('[role=dialog]')?.getBoundingClientRect();
  return frame !== undefined && element.getBoundingClientRect().bottom <= frame.bottom + 1;
}

/** Opens the command palette, and waits until it receives key presses. */
async function openPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Command palette' }).locator('input:focus').waitFor();
  await page.getByRole('menuitem', { name: /^Settings/ }).waitFor();
}

describe('by keyboard', () => {
  it('the command palette opens pages and finds a hash; ? lists the shortcuts', async () => {
    const page = await open();
    await page.goto('/');
    await heading(page, 'Overview');
    await openPalette(page);
    const settings = page.getByRole('menuitem', { name: /^Settings/ });
    await waitUntil('the arrow keys bring Settings into view', async () => {
      await page.keyboard.press('ArrowDown');
      return settings.evaluate(isInView);
    });
    await page.keyboard.type('refu');
    await page.keyboard.press('Enter');
    await heading(page, 'Refunds');
    await openPalette(page);
    await page.keyboard.type(hash('ab'));
    await page.getByRole('menuitem', { name: /^Find 0x/ }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await heading(page, 'Operations');
    expect(page.url()).toBe(`${origin()}/operations?search=${hash('ab')}`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading(page, 'Settings');
  });

  it('the arrow keys move between rows, and Enter opens one', async () => {
    const page = await open();
    await page.goto('/operations');
    await page.getByRole('table', { name: 'Operations' }).getByRole('link').first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await heading(page, 'Operation');
    expect(page.url()).toBe(`${origin()}/operations/${operationRow(1).id}`);
  });
});
