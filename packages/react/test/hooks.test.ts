import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@causeway/test-kit';
import type { Page } from 'playwright-core';
import { BridgeWorld, makeAnswer, startBrowser, use, type Browser } from './bridge-world.js';
import type { Shown } from './page.js';

// The hooks in pages under StrictMode, in a real browser with its storage and locks. The SDK is the real one. The
// QueryClient of the pages repeats three times by default.

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(async () => browser?.close());

const begin = ({ transfer }: Shown) => {
  const recipient = '0x811085f5b5d1b29598e73ca51de3d712f5d3103a';
  transfer.begin({ kind: 'DEPOSIT', asset: 'ETH', amount: '0.5', recipient });
};
const readOwn = ({ transfer }: Shown) => transfer.status;
const readRecords = ({ records }: Shown) => records.map(({ status }) => status);

async function expectOwn(page: Page, status: string): Promise<void> {
  await waitUntil(`the transfer is ${status}`, async () => (await use(page, readOwn)) === status);
}

async function expectRecords(page: Page, ...statuses: readonly string[]): Promise<void> {
  const shown = async () => JSON.stringify(await use(page, readRecords));
  await waitUntil(`the records are ${statuses.join()}`, async () => (await shown()) === JSON.stringify(statuses));
}

describe('useTransfer', () => {
  it('sends once for two clicks before a rendering, and shows its steps', async () => {
    const world = new BridgeWorld();
    const page = await browser.open(world, ['transfer', 'records']);
    await use(page, ({ transfer }) => {
      const recipient = '0x811085f5b5d1b29598e73ca51de3d712f5d3103a';
      for (let click = 1; click <= 2; click += 1)
        transfer.begin({ kind: 'DEPOSIT', asset: 'ETH', amount: '0.5', recipient });
    });
    await expectOwn(page, 'sent');
    expect(world.windows).toBe(1);
    const steps = await use(page, ({ transfer }) => transfer.progress.map(({ step, state }) => `${step} ${state}`));
    expect(steps).toEqual(['check done', 'transfer done']);
    expect(await use(page, ({ transfer }) => transfer.outcome?.originTxHash)).toBe(world.sent[0]);
    expect(await use(page, readRecords)).toEqual(['sent']);
  });

  it('sends once when an effect begins it, which StrictMode runs twice', async () => {
    const world = new BridgeWorld();
    const page = await browser.open(world, ['eager', 'records']);
    await expectOwn(page, 'sent');
    expect(world.windows).toBe(1);
    expect(await use(page, readRecords)).toEqual(['sent']);
  });

  it('asks again after a refusal only if the user does, also after a reload', async () => {
    const world = new BridgeWorld();
    world.mood = 'refuse';
    const page = await browser.open(world, ['transfer', 'records']);
    await use(page, begin);
    await expectOwn(page, 'refused');
    // A new transfer replaces the refused one.
    await use(page, begin);
    await waitUntil('the second window is refused', async () => world.windows === 2);
    await expectRecords(page, 'refused');
    await page.reload();
    await expectRecords(page, 'refused');
    expect(await use(page, ({ records }) => records[0]?.offers)).toEqual(['sendAgain', 'discard']);
    expect(world.windows).toBe(2);
    world.mood = 'send';
    await use(page, ({ records }) => records[0]?.sendAgain());
    await expectRecords(page, 'sent');
    expect(world.windows).toBe(3);
    await use(page, ({ records }) => records[0]?.discard());
    await expectRecords(page);
  });

  it('is undecided when the wallet fails, and neither a click nor a reload sends again', async () => {
    const world = new BridgeWorld();
    world.mood = 'break';
    const page = await browser.open(world, ['transfer', 'records']);
    await use(page, begin);
    await expectOwn(page, 'undecided');
    expect(await use(page, ({ transfer }) => transfer.error?.name)).toBe('UndecidedError');
    await use(page, begin);
    expect(world.windows).toBe(1);
    await page.reload();
    await expectRecords(page, 'undecided');
    expect(world.windows).toBe(1);
    world.mood = 'send';
    await use(page, ({ records }) => records[0]?.sendAgain());
    await expectRecords(page, 'sent');
    expect(world.windows).toBe(2);
  });

  it('reports a failed check and opens no window', async () => {
    const world = new BridgeWorld();
    const page = await browser.open(world, ['transfer']);
    await use(page, ({ transfer }) => transfer.begin({ kind: 'INTENT', asset: 'ETH', amount: '1', recipient: '0x1' }));
    await expectOwn(page, 'failed');
    expect(await use(page, ({ transfer }) => transfer.error?.message)).toBe(
      'asset must be XCN for this kind of transfer',
    );
    expect(world.windows).toBe(0);
  });

  it('only stops waiting when it is unmounted, and useRecords continues', async () => {
    const world = new BridgeWorld();
    world.isMining = false;
    const page = await browser.open(world, ['transfer']);
    await use(page, begin);
    await waitUntil('it is sent', async () => world.sent.length === 1);
    await waitUntil('the hash is kept', async () =>
      page.evaluate(() => Object.values(localStorage).some((record) => String(record).includes('"sent"'))),
    );
    await use(page, ({ mount }) => mount(['records']));
    await waitUntil('it is resumed', async () => use(page, ({ records }) => records?.[0]?.message === 'Continuing'));
    world.isMining = true;
    await expectRecords(page, 'sent');
    expect(world.windows).toBe(1);
  });
});

describe('useRecords', () => {
  it('resumes once what was begun, under StrictMode, and in one of two tabs', async () => {
    const world = new BridgeWorld();
    world.isMining = false;
    const page = await browser.open(world, ['transfer', 'records']);
    await use(page, begin);
    await waitUntil('it is sent', async () => world.sent.length === 1);
    await waitUntil('the hash is kept', async () =>
      page.evaluate(() => Object.values(localStorage).some((record) => String(record).includes('"sent"'))),
    );
    const before = world.count('bridge/config');
    await page.reload();
    await expectRecords(page, 'running');
    expect(await use(page, ({ records }) => records.map(({ message, offers }) => ({ message, offers })))).toEqual([
      { message: 'Continuing', offers: [] },
    ]);
    const tab = await browser.openTab(page);
    await expectRecords(tab, 'failed');
    expect(await use(tab, ({ records }) => records[0]?.error?.message)).toMatch(
      /is in use: this transfer runs in another/,
    );
    expect(world.count('bridge/config')).toBe(before + 1);
    world.isMining = true;
    await expectRecords(page, 'sent');
    await use(tab, ({ records }) => records[0]?.resume());
    await expectRecords(tab, 'sent');
    expect(world.windows).toBe(1);
    await use(page, ({ records }) => records[0]?.discard());
    await expectRecords(tab);
  });

  it('shows after a second mount what another tab did meanwhile', async () => {
    const world = new BridgeWorld();
    world.mood = 'refuse';
    const page = await browser.open(world, ['transfer', 'records']);
    await use(page, begin);
    await expectRecords(page, 'refused');
    const tab = await browser.openTab(page);
    await expectRecords(tab, 'refused');
    await use(page, ({ mount }) => mount([]));
    await use(tab, ({ records }) => records[0]?.discard());
    await expectRecords(tab);
    await use(page, ({ mount }) => mount(['records']));
    await expectRecords(page);
    expect(world.windows).toBe(1);
  });

  it('offers only to discard a transfer that has ended, also after a reload', async () => {
    const world = new BridgeWorld();
    world.hasReverted = true;
    const page = await browser.open(world, ['transfer', 'records']);
    await use(page, begin);
    await expectRecords(page, 'failed');
    const offers = ({ records }: Shown) => records.map((each) => each.offers);
    expect(await use(page, offers)).toEqual([['discard']]);
    await page.reload();
    await expectRecords(page, 'failed');
    expect(await use(page, offers)).toEqual([['discard']]);
  });
});

describe('useQuote', () => {
  it('shows what arrives', async () => {
    const world = new BridgeWorld();
    const page = await browser.open(world, ['quote']);
    await waitUntil('the quote is shown', async () => use(page, ({ quote }) => quote.isSuccess));
    expect(await use(page, ({ quote }) => quote.data?.outputAmountFormatted)).toBe('0.5');
  });

  it('names a malformed amount immediately, without a request', async () => {
    const world = new BridgeWorld();
    const page = await browser.open(world, ['quote'], '1,5');
    await waitUntil('the error is shown', async () =>
      use(page, ({ quote }) => quote.error?.name === 'InvalidInputError'),
    );
    expect(await use(page, ({ quote }) => quote.failureCount)).toBe(1);
    expect(world.requests).toEqual([]);
  });
});

describe('useCheck', () => {
  it('shows what stops a transfer, and opens no window', async () => {
    const world = new BridgeWorld();
    const page = await browser.open(world, ['check']);
    await waitUntil('the findings are shown', async () =>
      use(page, ({ check }) => check.data?.findings[0]?.code === 'BALANCE_TOO_LOW'),
    );
    expect(world.windows).toBe(0);
  });
});

describe('useStatus', () => {
  const operation = (status: string) => makeAnswer('getStatus', { status });

  it('shows each state, ends at the last one, and does not read again for a second mount', async () => {
    const world = new BridgeWorld();
    world.api['bridge/status'] = () => operation('CONFIRMING');
    world.api['bridge/events'] = (_, response) => {
      world.api['bridge/status'] = () => operation('COMPLETED');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: changed\ndata: {}\n\n');
      return null;
    };
    const page = await browser.open(world, ['status']);
    await waitUntil('the watch has ended', async () => use(page, ({ status }) => status.fetchStatus === 'idle'));
    expect(await use(page, ({ statuses }) => [...new Set(statuses)])).toEqual(['CONFIRMING', 'COMPLETED']);
    const before = world.count('bridge/status');
    await use(page, ({ mount }) => mount([]));
    await use(page, ({ mount }) => mount(['status', 'quote']));
    await waitUntil('the page is there again', async () => use(page, ({ quote }) => quote.data !== undefined));
    expect(await use(page, ({ status }) => status.data?.status)).toBe('COMPLETED');
    expect(world.count('bridge/status')).toBe(before);
  });

  it('stops with its component, and goes on with the next one', async () => {
    const world = new BridgeWorld();
    world.api['bridge/status'] = () => operation('CONFIRMING');
    let isOpen = false;
    world.api['bridge/events'] = (_, response) => {
      isOpen = true;
      response.on('close', () => (isOpen = false));
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n');
      return null;
    };
    const page = await browser.open(world, ['status']);
    await waitUntil('the stream is open', async () => isOpen);
    await use(page, ({ mount }) => mount([]));
    await waitUntil('the stream is closed', async () => !isOpen);
    world.api['bridge/status'] = () => operation('FAILED');
    await use(page, ({ mount }) => mount(['status']));
    await waitUntil('the watch has ended', async () => use(page, ({ status }) => status.fetchStatus === 'idle'));
    expect(await use(page, ({ status }) => status.data?.status)).toBe('FAILED');
  });
});

describe('useHistory', () => {
  it('reads page by page', async () => {
    const world = new BridgeWorld();
    const cursor = `0x${'cd'.repeat(32)}`;
    world.api['bridge/history'] = (query) => {
      const nextCursor = query['cursor'] === cursor ? null : cursor;
      const operations = [makeAnswer('getStatus', { id: nextCursor ?? `0x${'ef'.repeat(32)}` })];
      return { operations, pagination: { hasMore: nextCursor !== null, nextCursor, limit: 1 } };
    };
    const page = await browser.open(world, ['history']);
    await waitUntil('a page is shown', async () => use(page, ({ history }) => history.data?.length === 1));
    await use(page, ({ history }) => void history.fetchNextPage());
    await waitUntil('the second page is shown', async () => use(page, ({ history }) => history.data?.length === 2));
    expect(await use(page, ({ history }) => history.hasNextPage)).toBe(false);
  });
});

it('throws nothing outside of the results of the hooks', () => {
  expect(browser.problems).toEqual([]);
});
