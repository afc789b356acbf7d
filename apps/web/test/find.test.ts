import { describe, expect, it } from '@jest/globals';
import { DELAY_REASONS, OPERATION_STATUSES, REFUND_STATUSES, VERDICT_CODES } from '@causeway/protocol';
import type { BridgeOperationResponse, FailureReason } from '@causeway/protocol';
import { waitUntil } from '@causeway/test-kit';
import type { Page } from 'playwright-core';
import { FIND } from '../src/words/find.js';
import { MOVE } from '../src/words/move.js';
import { TRANSFER } from '../src/words/transfer.js';
import { expectAccessible, expectFitsPhone, heading, OPERATION, refuse, REFUND, usePage } from './web-page.js';

// Finding and following transfers in the built page, in Chromium with its real policy, against a played API.

const { server, open } = usePage();

const HOSTILE = '<img src="x" onerror="alert(1)">';
const PENDING = {
  status: 'CONFIRMING',
  settlement: null,
  destinationTxHash: null,
  originConfirmations: 3,
} satisfies Partial<BridgeOperationResponse>;
const soon = (seconds: number) => new Date(Date.now() + 1_000 * seconds).toISOString();
const unknown = () => refuse('OPERATION_NOT_FOUND', 'No operation has this id.');

/** Opens the page of a transfer with these fields. */
async function show(page: Page, fields: Partial<BridgeOperationResponse>): Promise<void> {
  server.reads.set('/bridge/history', { operations: [{ ...OPERATION, ...fields }] });
  server.reads.set('/bridge/status', fields);
  await page.goto(`/transfer/${OPERATION.id}`);
  await heading(page, TRANSFER.title);
}

/** Waits until the page follows by a stream. */
async function waitForStream(): Promise<void> {
  await waitUntil('the page follows by a stream', () => server.openStreams > 0);
}

/** Waits for texts. Returns those that do not appear. */
async function findMissing(page: Page, ...texts: readonly string[]): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const text of texts)
    await page
      .getByText(text, { exact: true })
      .first()
      .waitFor()
      .catch(() => missing.push(text));
  return missing;
}

describe('the box', () => {
  const find = async (page: Page, text: string) => {
    await page.getByLabel(FIND.box.label).fill(text);
    await page.keyboard.press('Enter');
  };

  it('leads to a transfer, to a history, or says what is wrong', async () => {
    const page = await open();
    await page.goto('/find');
    await heading(page, FIND.title);
    await expectAccessible(page);
    await expectFitsPhone(page);
    await find(page, '0x12');
    expect(await findMissing(page, FIND.box.malformed)).toEqual([]);
    await find(page, '0x15D34aaf54267db7d7c367839aaf71a00a2c6a65');
    expect(await findMissing(page, FIND.box.checksum)).toEqual([]);
    await find(page, ` ${OPERATION.sender} `);
    await heading(page, FIND.history.title);
    await page.goBack();
    await find(page, `https://explorer.example/tx/${OPERATION.destinationTxHash}`);
    await heading(page, TRANSFER.title);
    expect(page.url()).toContain(`/transfer/${OPERATION.id}`);
  });

  it('shows every verdict about a hash that is no transfer, as text', async () => {
    const page = await open();
    await page.goto('/find');
    for (const code of VERDICT_CODES) {
      const message = `${code} ${HOSTILE}`;
      server.reads.set('/bridge/explain', { code, message, nextStep: `Do ${code}.`, operationIds: [] });
      await find(page, `0x${VERDICT_CODES.indexOf(code).toString(16).padStart(64, '0')}`);
      expect(await findMissing(page, FIND.verdicts[code], message, `Do ${code}.`)).toEqual([]);
    }
    await expectAccessible(page);
  });

  it('offers each transfer of a batch', async () => {
    const ids = [OPERATION.id, REFUND.id];
    server.reads.set('/bridge/explain', { operationIds: ids, until: soon(60), replacedBy: REFUND.id });
    const page = await open();
    await page.goto('/find');
    await find(page, OPERATION.id);
    expect(await findMissing(page, FIND.verdict.until, FIND.verdict.replacedBy)).toEqual([]);
    expect(await page.locator('dd a[href^="/transfer/"]').count()).toBe(2);
  });
});

describe('the latest transfers', () => {
  it('are filtered by keyboard, keep their filters in the URL, and go on', async () => {
    const pagination = { limit: 10, hasMore: true, nextCursor: 'next' };
    server.reads.set('/bridge/operations', (url: URL) => ({
      body: url.searchParams.has('cursor')
        ? {
            operations: [{ ...OPERATION, id: REFUND.id, amountFormatted: '2.5' }],
            pagination: { ...pagination, hasMore: false, nextCursor: null },
          }
        : { operations: [OPERATION], pagination },
    }));
    const page = await open();
    await page.goto('/find?direction=ETHEREUM_TO_PARTNER&status=nonsense');
    await page.getByLabel(FIND.latest.status).focus();
    await page.keyboard.type('Comp');
    await page.waitForURL(/status=COMPLETED/);
    await page.getByRole('button', { name: FIND.more, exact: true }).click();
    expect(await findMissing(page, '2.5 ETH')).toEqual([]);
    await page.getByRole('button', { name: FIND.more, exact: true }).waitFor({ state: 'detached' });
    const queries = server.calls.filter(({ path }) => path === '/bridge/operations').map(({ query }) => query);
    expect(queries[0]).toBe('direction=ETHEREUM_TO_PARTNER&limit=10');
    expect(queries).toContain('direction=ETHEREUM_TO_PARTNER&status=COMPLETED&limit=10&cursor=next');
    await page.getByRole('link', { name: /2\.5 ETH/ }).press('Enter');
    await heading(page, TRANSFER.title);
  });

  it('say that none match, or why they cannot be read', async () => {
    server.reads.set('/bridge/operations', { operations: [] });
    const page = await open();
    await page.goto('/find');
    expect(await findMissing(page, FIND.latest.none)).toEqual([]);
    server.reads.set('/bridge/operations', () => refuse('VALIDATION_ERROR', 'asset must be one of ETH', 400));
    await page.goto('/find?asset=USDC');
    await page.getByText(/asset must be one of ETH/).waitFor();
    server.reads.delete('/bridge/operations');
    await page.getByRole('button', { name: 'Try again' }).click();
    expect(await findMissing(page, '1.5 ETH')).toEqual([]);
  });
});

describe('a transfer', () => {
  it('shows each status as it comes, without a reload', async () => {
    const page = await open();
    await show(page, PENDING);
    await waitForStream();
    for (const status of OPERATION_STATUSES) {
      if (status === 'COMPLETED' || status === 'FAILED' || status === 'EXPIRED') continue;
      server.change({ ...PENDING, status });
      expect(await findMissing(page, TRANSFER.statuses[status])).toEqual([]);
    }
    server.change({ ...PENDING, originConfirmations: 7 });
    expect(await findMissing(page, '7 of 12')).toEqual([]);
    server.change({});
    expect(await findMissing(page, TRANSFER.statuses.COMPLETED, TRANSFER.sides.delivered)).toEqual([]);
    await show(page, { ...PENDING, status: 'EXPIRED', originTxHash: null });
    expect(await findMissing(page, TRANSFER.statuses.EXPIRED, TRANSFER.sides.nothing)).toEqual([]);
  });

  it('says why it waits, and what to do', async () => {
    const page = await open();
    await show(page, PENDING);
    await waitForStream();
    for (const reason of DELAY_REASONS) {
      server.change({ ...PENDING, status: 'DELAYED', delayedReason: reason, delayedSince: soon(-60) });
      expect(
        await findMissing(page, TRANSFER.delays[reason].why, TRANSFER.delays[reason].what, TRANSFER.steps.delayed),
      ).toEqual([]);
    }
    for (const reason of ['WALLET_REPLACED', 'CHAIN_AWAY', 'WINDOW_CLOSED'] as const) {
      server.change({ ...PENDING, status: 'PENDING_ORIGIN_TX', unpayableReason: reason });
      expect(await findMissing(page, TRANSFER.unpayable[reason].why, TRANSFER.unpayable[reason].what)).toEqual([]);
    }
    server.change({ ...PENDING, stalledReason: 'RELAYER_AWAY', quotedCompletionTime: soon(-5) });
    expect(
      await findMissing(page, TRANSFER.stalls.RELAYER_AWAY.why, TRANSFER.stalls.RELAYER_AWAY.what, TRANSFER.late),
    ).toEqual([]);
    await expectAccessible(page);
    const hold = { holdUntil: soon(3_700), estimatedCompletionTime: soon(3_800) };
    server.change({ ...PENDING, status: 'AWAITING_RELAY', ...hold });
    expect(await findMissing(page, TRANSFER.held.why, TRANSFER.steps.held, TRANSFER.expected)).toEqual([]);
    await page
      .getByText(/^1:01:\d\d$/)
      .first()
      .waitFor();
    await expectFitsPhone(page);
  });

  it('says why it failed, and leads to the refund', async () => {
    const page = await open();
    for (const reason of Object.keys(TRANSFER.failures) as FailureReason[]) {
      const ids = { depositId: null, withdrawId: null };
      await show(page, {
        ...PENDING,
        ...ids,
        status: 'FAILED',
        failureReason: reason,
        failureMessage: reason,
        refundId: REFUND.id,
      });
      expect(
        await findMissing(page, TRANSFER.failures[reason].why, TRANSFER.failures[reason].what, TRANSFER.steps.failed),
      ).toEqual([]);
    }
    await expectAccessible(page);
    await page.getByRole('link', { name: TRANSFER.refund }).click();
    await heading(page, FIND.refund.title);
  });

  it('shows both sides, the times of the chains with their zone, configured explorers only, and the raw data', async () => {
    server.settings = {
      partner: {
        ...server.wholeSettings.partner,
        explorer: { name: 'PartnerScan', transactionUrl: 'https://scan.example/tx/{hash}' },
      },
    };
    server.nodes.set('eth_getTransactionReceipt', () => ({ blockNumber: '0x10' }));
    server.nodes.set('eth_getBlockByNumber', ([block]) => ({
      timestamp: `0x${(1_800_000_000 + 60 * Number(block)).toString(16)}`,
    }));
    const page = await open({ timezoneId: 'Europe/Berlin' });
    const fee = { amount: '3000000000000000', formatted: '0.003', bps: 25 };
    await show(page, { amountFormatted: '12345.000000000000000001', fee, otherOperationIds: [REFUND.id] });
    expect(
      await findMissing(
        page,
        '12,345.000000000000000001 ETH',
        '1.5 ETH',
        '0.003 ETH',
        '2027-01-15 09:16:00 GMT+1',
        '16',
      ),
    ).toEqual([]);
    const links = await page
      .locator('a[target=_blank]')
      .evaluateAll((all) => all.map((each) => each.getAttribute('href')));
    expect(links).toEqual([`https://scan.example/tx/${OPERATION.destinationTxHash}`]);
    expect(await page.getByRole('link', { name: TRANSFER.check }).getAttribute('href')).toBe(
      `/check.html#${OPERATION.id}`,
    );
    await page.getByText(TRANSFER.raw).press('Enter');
    await page.getByText(/"quotedCompletionTime": null/).waitFor();
    await expectFitsPhone(page);
  });

  it('that the recipient rejected offers the claim', async () => {
    const page = await open();
    await show(page, { settlement: { ...OPERATION.settlement!, credited: true } });
    expect(await findMissing(page, TRANSFER.credited)).toEqual([]);
    await page.getByRole('button', { name: MOVE.buttons.connect }).waitFor();
    await expectAccessible(page);
  });

  it('is looked for right after sending', async () => {
    server.reads.set('/bridge/history', { operations: [] });
    server.reads.set('/bridge/status', unknown);
    server.reads.set('/bridge/explain', { code: 'NOT_MINED', operationIds: [] });
    const page = await open();
    await page.goto(`/transfer/${OPERATION.originTxHash}`);
    expect(await findMissing(page, TRANSFER.unknown, FIND.verdicts.NOT_MINED)).toEqual([]);
    await waitForStream();
    server.change(PENDING);
    expect(await findMissing(page, TRANSFER.statuses.CONFIRMING)).toEqual([]);
    await page.goto('/transfer/0x12');
    expect(await findMissing(page, TRANSFER.malformed)).toEqual([]);
  });

  it('keeps its last state while the API is away, and says so', async () => {
    const page = await open();
    await page.clock.install();
    await show(page, PENDING);
    await waitForStream();
    server.reads.set('/bridge/status', () => refuse('SERVICE_UNAVAILABLE', 'Retry shortly.', 503));
    server.setStreams(false);
    for (let seconds = 0; seconds < 30 && !(await page.getByText(TRANSFER.stale).isVisible()); seconds += 2)
      await page.clock.runFor(2_000);
    expect(await findMissing(page, TRANSFER.stale, TRANSFER.statuses.CONFIRMING)).toEqual([]);
    server.reads.set('/bridge/status', PENDING);
    server.setStreams(true);
    for (let seconds = 0; seconds < 60 && (await page.getByText(TRANSFER.stale).isVisible()); seconds += 2)
      await page.clock.runFor(2_000);
    await page.getByText(TRANSFER.stale).waitFor({ state: 'detached' });
  });
});

it('the history of any address is read page by page, without a wallet', async () => {
  const pagination = { limit: 20, offset: 0, hasMore: true, nextCursor: OPERATION.id };
  server.reads.set('/bridge/history', (url: URL) => ({
    body: url.searchParams.has('cursor')
      ? {
          operations: [{ ...OPERATION, id: REFUND.id, amountFormatted: '2.5' }],
          pagination: { ...pagination, hasMore: false, nextCursor: null },
        }
      : { operations: [OPERATION], pagination },
  }));
  const page = await open();
  await page.goto(`/history/${OPERATION.sender}`);
  expect(await findMissing(page, '1.5 ETH')).toEqual([]);
  await page.getByRole('button', { name: FIND.more }).press('Enter');
  expect(await findMissing(page, '2.5 ETH')).toEqual([]);
  await expectAccessible(page);
  await expectFitsPhone(page);
  server.reads.set('/bridge/history', { operations: [] });
  await page.goto(`/history/${OPERATION.recipient}`);
  expect(await findMissing(page, FIND.history.none)).toEqual([]);
  await page.goto('/history/0x12');
  expect(await findMissing(page, FIND.history.malformed)).toEqual([]);
});

it('a refund shows each state, what arrived and its payment', async () => {
  const page = await open();
  const payment = {
    recipient: REFUND.payer,
    amount: '6999000000000000000000',
    amountFormatted: '6999',
    gasFee: '1000000000000000000',
    dust: '5',
    txHash: OPERATION.originTxHash,
  };
  for (const status of REFUND_STATUSES) {
    const isPaid = status === 'PENDING' || status === 'COMPLETED';
    server.reads.set('/bridge/refunds', { status, payment: isPaid ? payment : null });
    await page.goto(`/refund/${REFUND.id}`);
    expect(await findMissing(page, FIND.refunds[status], '7,000 XCN')).toEqual([]);
    expect(
      await findMissing(page, ...(isPaid ? ['6,999 XCN', '0.000000000000000005 XCN'] : [FIND.refund.noPayment])),
    ).toEqual([]);
    if (status === 'COMPLETED') await expectAccessible(page);
  }
  await expectFitsPhone(page);
  server.reads.set('/bridge/refunds', unknown);
  await page.goto(`/refund/${OPERATION.id}`);
  expect(await findMissing(page, FIND.refund.unknown)).toEqual([]);
});
