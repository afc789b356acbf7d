import { openPage, startChromium, type WatchedPage } from '@causeway/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { ConsoleServer } from './console-server.js';

type PageOptions = Parameters<typeof openPage>[1];

/** The console of a test file, with its server and pages. */
interface ConsoleUnderTest {
  readonly server: ConsoleServer;
  /** The origin of the server; known once tests run. */
  readonly origin: () => string;
  /** Opens a page that is closed after the test. */
  readonly open: (options?: PageOptions) => Promise<Page>;
  /** The same, with the browser context that wallets are injected into. */
  readonly watch: (options?: PageOptions) => Promise<WatchedPage>;
}

/**
 * Serves the built console, and opens its pages in Chromium. After each test it checks that no policy was violated,
 * nothing was thrown, and nothing was loaded from other origins.
 */
export function useConsole(): ConsoleUnderTest {
  const server = new ConsoleServer();
  let origin = '';
  let browser: Browser;
  let opened: WatchedPage[] = [];
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
    const problems = opened.flatMap((each) => each.problems);
    await Promise.all(opened.map(async ({ context }) => context.close()));
    opened = [];
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  const watch = async (options: PageOptions = {}) => {
    const watched = await openPage(browser, { baseURL: origin, ...options });
    opened.push(watched);
    return watched;
  };
  return { server, origin: () => origin, watch, open: async (options) => (await watch(options)).page };
}

/** Waits for the page with this title. */
export async function heading(page: Page, title: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor();
}
