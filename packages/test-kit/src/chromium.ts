import { existsSync } from 'node:fs';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** Where distributions install Chromium, and CHROMIUM_PATH before them. */
const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const PATIENCE_MS = 15_000;

/** A page that remembers what went wrong in it. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Sentences about violated policies, uncaught errors, and requests to other origins. Empty at the end of a test. */
  readonly problems: string[];
}

/**
 * Starts the installed Chromium.
 *
 * @throws Error that says how to install it.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = [process.env['CHROMIUM_PATH'], ...PLACES].find(
    (path) => path !== undefined && existsSync(path),
  );
  if (executablePath === undefined)
    throw new Error('These tests need Chromium: apt-get install chromium, or set CHROMIUM_PATH to its executable');
  // Imported here: it takes a second to load, and most tests start no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Opens a page with a context of its own, and watches it from the beginning. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const problems: string[] = [];
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (/Content Security Policy|TrustedHTML|TrustedScript|violates the following/.test(text)) problems.push(text);
  });
  const { baseURL } = options;
  if (baseURL !== undefined)
    page.on('request', (request) => {
      const url = new URL(request.url());
      const isOwn = url.origin === new URL(baseURL).origin || ['data:', 'blob:', 'about:'].includes(url.protocol);
      if (!isOwn) problems.push(`request to another origin: ${request.url()}`);
    });
  return { page, context, problems };
}
