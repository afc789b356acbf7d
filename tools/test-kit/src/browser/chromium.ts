import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

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

/** A page that records its problems. */
export interface WatchedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Policy violations, uncaught errors and requests to other origins. A test should end with none. */
  readonly problems: string[];
}

/**
 * Starts the browser at CHROMIUM_PATH, which the test command sets (scripts/browser.mjs).
 *
 * @throws Error without CHROMIUM_PATH.
 */
export async function startChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'];
  if (executablePath === undefined)
    throw new Error('These tests need a browser: run them with `npx pnpm@12.21.0 test`, or set CHROMIUM_PATH');
  // Imported here, since it takes a second to load and most tests need no browser.
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: FLAGS, env: { ...process.env, ...besideBrowser(executablePath) } });
}

/** Fonts and libraries of the npm package, for a system without them. */
function besideBrowser(executablePath: string): Record<string, string> {
  const folder = dirname(executablePath);
  const libraries = join(folder, 'al2023/lib');
  if (!existsSync(libraries)) return {};
  // In the locale C, Chromium reports the invalid language `en-US@posix`.
  return { LD_LIBRARY_PATH: libraries, FONTCONFIG_PATH: join(folder, 'fonts'), LC_ALL: 'en_US.UTF-8' };
}

/** Opens a page in its own context, and watches it from the start. */
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
