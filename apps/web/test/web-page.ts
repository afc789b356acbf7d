import { AxeBuilder } from '@axe-core/playwright';
import { openPage, startChromium, type WatchedPage } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { WebServer } from './web-server.js';

export * from './web-server.js';

type PageOptions = Parameters<typeof openPage>[1];

/** The page of a test file, with its server and tabs. */
interface PageUnderTest {
  readonly server: WebServer;
  /** The origin of the server; known once tests run. */
  readonly origin: () => string;
  /** Opens a tab that is closed after the test. */
  readonly open: (options?: PageOptions) => Promise<Page>;
  /** The same, with the browser context that wallets are injected into. */
  readonly watch: (options?: PageOptions) => Promise<WatchedPage>;
}

/**
 * Serves the built page, and opens it in Chromium. After each test it checks that no policy was violated, nothing was
 * thrown, and only the origins of the settings were called.
 */
export function usePage(): PageUnderTest {
  const server = new WebServer();
  let origin = '';
  let browser: Browser;
  let opened: { readonly watched: WatchedPage; readonly allowed: readonly string[] }[] = [];
  beforeAll(async () => {
    origin = await server.start();
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await server.stop();
  });
  beforeEach(() => server.reset());
  afterEach(async () => {
    const problems = opened.flatMap(({ watched, allowed }) =>
      watched.problems.filter((each) => !allowed.some((one) => each.startsWith(`request to another origin: ${one}/`))),
    );
    await Promise.all(opened.map(async ({ watched }) => watched.context.close()));
    opened = [];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  const watch = async (options: PageOptions = {}) => {
    const watched = await openPage(browser, { baseURL: origin, reducedMotion: 'reduce', ...options });
    opened.push({ watched, allowed: server.origins });
    return watched;
  };
  return { server, origin: () => origin, watch, open: async (options) => (await watch(options)).page };
}

/** Waits for the page with this title. */
export async function heading(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}

/** Expects no serious finding of axe in light, and no faint text in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  const findings: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await (colorScheme === 'light' ? axe : axe.withRules(['color-contrast'])).analyze();
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        findings.push(...nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`));
  }
  await page.emulateMedia({ colorScheme: 'light' });
  expect(findings).toEqual([]);
}

/** Expects that the page fits a window of 320 pixels without scrolling sideways. */
export async function expectFitsPhone(page: Page): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 320, height: 2_000 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  if (before !== null) await page.setViewportSize(before);
}
