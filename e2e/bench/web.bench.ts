import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OperationStatus } from '@causeway/protocol';
import { bootEnvironment, DEFAULT_ENVIRONMENT_OPTIONS, User } from '@causeway/testbed';
import { openPage, startChromium } from '@causeway/test-kit';

// Prints how soon the page for people can be used, on this machine and with the throttling of a phone, and how soon it
// shows a change of status. Run it after a build, with CHROMIUM_PATH: node bench/web.bench.ts

const ROUNDS = 7;
const TRANSFERS = 12;
/** The phone of Chromium's developer tools: "Slow 4G" and "Fast 4G", with a processor four times slower. */
const NETWORKS = {
  'slow 4G': { latency: 562.5, downloadThroughput: 180_000, uploadThroughput: 84_375 },
  'fast 4G': { latency: 165, downloadThroughput: 1_012_500, uploadThroughput: 168_750 },
} as const;
const PHONE = { width: 390, height: 844 };

const directory = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
const options = { ...DEFAULT_ENVIRONMENT_OPTIONS, directory, web: true, holdSeconds: 2, ethereumConfirmations: 3 };
const environment = await bootEnvironment(
  { ...options, portBase: 30_000 + 10 * Math.floor(Math.random() * 1_000) },
  (step) => process.stderr.write(`${step}\n`),
);
const { stack, accounts } = environment;
const browser = await startChromium();
const alice = new User(environment, accounts.alice);

const print = (line: string) => process.stdout.write(`${line}\n`);
const pick = (values: readonly number[], share: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
const describe = (values: readonly number[]) =>
  `p50 ${pick(values, 0.5).toFixed(0)} ms, p95 ${pick(values, 0.95).toFixed(0)} ms (${values.length} times)`;

/** Milliseconds from an empty cache until a page shows a text that can be used. */
async function measureOpening(path: string, ready: string | RegExp, network?: keyof typeof NETWORKS): Promise<number> {
  const { page, context } = await openPage(browser, {
    baseURL: stack.webUrl ?? '',
    ...(network === undefined ? {} : { viewport: PHONE }),
  });
  try {
    if (network !== undefined) {
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
      await session.send('Network.enable');
      await session.send('Network.emulateNetworkConditions', { offline: false, ...NETWORKS[network] });
    }
    const startedAt = performance.now();
    await page.goto(path, { waitUntil: 'commit' });
    await page.getByText(ready).first().waitFor();
    return performance.now() - startedAt;
  } finally {
    await context.close();
  }
}

async function measureOpenings(title: string, path: string, ready: string | RegExp): Promise<void> {
  for (const network of [undefined, 'slow 4G', 'fast 4G'] as const) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await measureOpening(path, ready, network));
    print(`${title} can be used ${network === undefined ? 'here' : `on a phone with ${network}`}: ${describe(times)}`);
  }
}

/** Runs in the page: keeps the time of each change of its text. */
const RECORD_TEXT = `
  globalThis.seen = [];
  const record = () => seen.push({ at: Date.now(), text: document.querySelector('main')?.textContent ?? '' });
  new MutationObserver(record).observe(document, { childList: true, subtree: true, characterData: true });
`;

/** Milliseconds from the time that the store gives a change of status until the page shows its word. */
async function measureChanges(words: Readonly<Partial<Record<OperationStatus, string>>>): Promise<void> {
  const delays: number[] = [];
  for (let transfer = 0; transfer < TRANSFERS; transfer += 1) {
    const { originTxHash } = await alice.deposit('ETH', 10n ** 16n, accounts.bob.address);
    const { page, context } = await openPage(browser, { baseURL: stack.webUrl ?? '' });
    await page.addInitScript(RECORD_TEXT);
    await page.goto(`/transfer/${originTxHash}`);
    const changed = new Map<OperationStatus, number>();
    for (let operation = await alice.status(originTxHash); operation?.status !== 'COMPLETED';) {
      operation = await alice.status(originTxHash);
      if (operation !== null) changed.set(operation.status, Date.parse(operation.updatedAt));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await page
      .getByText(words.COMPLETED ?? '', { exact: true })
      .first()
      .waitFor();
    const seen: readonly { readonly at: number; readonly text: string }[] = await page.evaluate('seen');
    for (const status of ['PROCESSING_DESTINATION', 'COMPLETED'] as const) {
      const word = words[status];
      const at = changed.get(status);
      const shown = word === undefined ? undefined : seen.find(({ text }) => text.includes(word));
      if (at !== undefined && shown !== undefined) delays.push(shown.at - at);
    }
    await context.close();
  }
  print(`a change of status is visible: ${describe(delays)}`);
}

try {
  const { originTxHash } = await alice.deposit('ETH', 10n ** 16n, accounts.bob.address);
  await measureOpenings('the form', '/', 'Connect a wallet');
  await measureOpenings('a transfer', `/transfer/${originTxHash}`, '0.01 ETH');
  await measureChanges({ COMPLETED: 'Completed' });
} finally {
  await browser.close();
  await environment.stop();
  rmSync(directory, { recursive: true, force: true });
}
