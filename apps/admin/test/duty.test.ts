import { describe, expect, it } from '@jest/globals';
import { heading, useConsole } from './console-browser.js';
import { account, ago, hash, operation, operationRow, refund } from './fixtures.js';

// Pages name each problem to the operator on duty, and never report a healthy bridge while a problem lasts.

const { server, open } = useConsole();

const alert = (severity: string, code: string, sentence: string, whatToDo: string) => ({
  code,
  severity,
  sentence,
  since: ago(600),
  subject: null,
  whatToDo,
  runbook: `docs/runbook.md#${code.toLowerCase()}`,
});
const FLOAT_SHORT = alert('warning', 'DeliveryWaits', '2,000,000 XCN wait for float.', 'Refill the float.');
const PAUSED = alert('critical', 'Paused', 'Deposits are paused by the guardian.', 'Ask the guardian why.');
const DECISION = alert('info', 'ApprovalsWait', '1 request waits for approval.', 'Read it, then approve.');

describe('the overview', () => {
  it('reports a running bridge only if there is no alert', async () => {
    server.reads.set('/alerts', { alerts: [DECISION, FLOAT_SHORT, PAUSED] });
    const page = await open();
    await page.goto('/');
    const state = page.getByRole('region', { name: 'State of the bridge' });
    await state.getByText(PAUSED.sentence).waitFor();
    const [worst, second, third] = [PAUSED, FLOAT_SHORT, DECISION].map(({ sentence }) => sentence);
    expect(await state.innerText()).toMatch(
      new RegExp(
        `Critical[^]*${worst}[^]*Ask the guardian why.[^]*#paused[^]*Warning[^]*${second}[^]*Info[^]*${third}`,
      ),
    );
    await state.getByText('1 critical, 1 warning, 1 info.').waitFor();
    expect(await page.getByText('Running', { exact: true }).count()).toBe(0);
    server.reads.set('/alerts', { alerts: [DECISION] });
    server.emit('changed', { what: 'halts' });
    await state.getByText(DECISION.whatToDo).waitFor();
    expect(await page.getByText('Running', { exact: true }).count()).toBe(0);
    server.reads.set('/alerts', { alerts: [] });
    server.emit('changed', { what: 'halts' });
    await state.getByText('Running', { exact: true }).waitFor();
  });

  it("shows the day by asset, locked against supply, and a lease by the database's clock", async () => {
    const page = await open();
    // This browser's clock is a day ahead.
    await page.clock.install({ time: Date.now() + 86_400_000 });
    await page.goto('/');
    await page.getByRole('row', { name: 'XCN 42 XCN 0 XCN' }).waitFor();
    await page.getByRole('img', { name: 'ETH: 12 locked, 11.5 supply, 104.3 % is locked' }).waitFor();
    await page.getByRole('img', { name: 'USDC: 5,000 locked, 5,000.000001 supply, 99.9 % is locked' }).waitFor();
    expect(await page.getByText('Held', { exact: true }).count()).toBe(1);
  });
});

describe('the alerts', () => {
  it('are grouped by severity in words, with links to the runbook', async () => {
    server.reads.set('/alerts', { alerts: [DECISION, PAUSED] });
    const page = await open();
    await page.goto('/alerts');
    const critical = page.getByRole('region', { name: 'Critical' });
    await critical.getByText(PAUSED.sentence).waitFor();
    await critical.getByText('docs/runbook.md#paused').waitFor();
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Critical', 'Info']);
    await page.getByRole('region', { name: 'Info' }).getByText('Nothing is wrong').waitFor();
  });
});

describe('a refund', () => {
  it('updates after the request that decides it, and after its payment', async () => {
    const page = await open();
    await page.goto(`/refunds/${hash('e1')}`);
    await page.getByText('Needs a decision').waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    server.reads.set(`/refunds/${hash('e1')}`, { status: 'APPROVED' });
    server.emit('changed', { what: 'requests' });
    await page.getByText('Approved', { exact: true }).waitFor();
    const payment = { paidAmount: '4900000000000000000', gasFee: '0' };
    server.reads.set(`/refunds/${hash('e1')}`, { ...refund(), status: 'COMPLETED', ...payment });
    server.emit('operation', operationRow(0));
    await page.getByText('4.9 XCN').waitFor();
    // On the partner chain it is paid without a deduction.
    expect(await page.getByText('Gas deducted').locator('..').textContent()).toBe('Gas deductednone');
    expect(await page.getByText('Approved', { exact: true }).count()).toBe(0);
  });
});

describe('an operation', () => {
  it('is delivered only when its delivery is final; its timeline keeps the order of the API', async () => {
    const path = `/operations/${hash('ab')}`;
    const { timeline, operation: delayed } = operation(hash('ab'));
    const [created] = timeline;
    const event = (name: string, seconds: number, cause: string | null) => ({
      ...created!,
      event: name,
      at: ago(seconds),
      cause,
      actor: account('e5'),
    });
    const entries = [event('DELAYED', 90, 'PAUSED'), event('RESUMED', 95, null), event('MINED', 100, null)];
    server.reads.set(path, { timeline: entries });
    const page = await open();
    await page.goto(path);
    const details = page.getByRole('region', { name: 'Details' });
    await details.getByText('Will deliver').waitFor();
    await page.getByText(/If you retry: It waits as FLOAT_SHORT: .*, and else it waits again\./).waitFor();
    expect(await details.getByText('Delivered', { exact: true }).count()).toBe(0);
    const events = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
    expect((await events.allInnerTexts()).map((text) => text.split('\n')[0])).toEqual(['Delayed', 'Resumed', 'Mined']);
    // The member's role, and the reason of an ended delay.
    expect(await events.first().innerText()).toMatch(/\(operator\)[^]*Deliveries are paused/);
    server.reads.set(path, { operation: { ...delayed, status: 'COMPLETED' }, deliveredAmount: delayed.outputAmount });
    server.emit('operation', { ...operationRow(0), id: hash('ab') });
    await details.getByText('Delivered', { exact: true }).waitFor();
    expect(await details.getByText('Will deliver').count()).toBe(0);
  });
});

describe('without a wallet', () => {
  it('sign-in names the missing wallet and the commands that do the same', async () => {
    server.role = null;
    const page = await open();
    await page.goto('/');
    await heading(page, 'Sign in to the console');
    await page.getByText(/wallet extension with support for EIP-6963/).waitFor();
    const commands = page.getByRole('region', { name: 'Commands that do the same' });
    await commands.getByText(/apps\/relayer\/dist\/bundle\/main\.js retry <operationId>/).waitFor();
    expect(await commands.innerText()).toContain('npx pnpm@12.21.0 admin pause --direction both --send');
  });

  it('a prepared call shows its command, and that nothing was simulated', async () => {
    server.answers.set('POST /contracts/calls/prepare', () => ({
      body: { transactions: [prepared], safeTransaction: {} },
    }));
    const page = await open();
    await page.goto('/pauses-and-halts?call=pause');
    const dialog = page.getByRole('dialog');
    for (const [label, choice] of [
      [/Side/, 'Partner'],
      [/Direction/, 'Out'],
    ] as const) {
      await dialog.getByRole('combobox', { name: label }).selectOption({ label: choice });
    }
    await dialog.getByLabel('Reason').fill('An attack is running');
    await dialog.getByRole('button', { name: 'Simulate' }).click();
    await dialog.getByText('Computed, not simulated').waitFor();
    await dialog.getByText('the other chain is not ready. Use the option "Chain" partner to send it alone.').waitFor();
    await dialog.getByText(/pnpm@12.21.0 admin pause --side partner --direction out .*--send/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Sign with wallet' }).isDisabled()).toBe(true);
  });
});

const prepared = {
  side: 'partner',
  chainId: 8_901,
  step: 'call',
  contract: 'BridgeMint',
  functionName: 'pause',
  arguments: [],
  to: account('0b'),
  data: '0x8456cb59',
  value: '0',
  readyAt: null,
  callHash: hash('cc'),
  blockNumber: 12,
  changes: [],
  isSimulated: false,
  maySend: false,
  problem: 'pause on partner is held back, because the other chain is not ready. Use --chain partner to send it alone.',
};

describe('the audit log', () => {
  it("distinguishes a member's claim from the result on the chain", async () => {
    const sentence = `BridgeLock.pause by ${account('e5')} reverted in block 12.`;
    const call = { contract: 'BridgeLock', functionName: 'pause', arguments: [{ name: 'direction', value: '1' }] };
    const shown = { side: 'ethereum', txHash: hash('cd'), sender: account('e5'), blockNumber: 12, sentence };
    const row = { sequence: 9, at: ago(60), actor: account('e5'), role: 'operator', sessionId: 's1', subject: null };
    const rest = { before: null, after: null, reason: 'An attack', txHash: hash('cd'), previousHash: hash('01') };
    const reported = [{ ...shown, state: 'REVERTED', calls: [call] }];
    server.reads.set('/audit', { rows: [{ ...row, ...rest, action: 'contract-call', hash: hash('02'), reported }] });
    const page = await open();
    await page.goto('/audit');
    const entry = page.getByRole('region', { name: 'Rows of the audit log' }).getByRole('listitem').first();
    await entry.getByText('Reverted', { exact: true }).first().click();
    await entry.getByText(sentence).waitFor();
    expect(await entry.getByText('direction = 1').isVisible()).toBe(true);
  });
});

describe('lists and tables', () => {
  it('of operations start with time, amount, direction, status and sender', async () => {
    server.rows = 6;
    const page = await open({ viewport: { width: 1280, height: 800 } });
    await page.goto('/operations');
    const table = page.getByRole('table', { name: 'Operations' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual([
      'Time',
      'Amount',
      'Direction',
      'Status',
      'Sender',
      'Kind',
      'Operation',
    ]);
    const filters = page.getByRole('combobox', { name: /Status|Direction|Delay/ });
    const texts = await filters.evaluateAll((all) => all.map((e) => e.scrollWidth - e.clientWidth));
    expect(texts).toEqual([0, 0, 0]);
  });

  it('of fees are one per chain, in standard words; roles and history open separately', async () => {
    const page = await open();
    await page.goto('/fees-and-limits');
    const table = page.getByRole('table', { name: 'Fees and limits on Partner chain' });
    await table.waitFor();
    expect(await table.getByRole('columnheader').allInnerTexts()).toEqual(
      expect.arrayContaining(['Minimum fee', 'Minimum per operation', 'Maximum per operation']),
    );
    expect(await page.getByRole('table', { name: 'Account of each role' }).count()).toBe(0);
    await page.getByRole('tab', { name: 'Roles' }).click();
    await page.getByRole('row', { name: /Guardian Ethereum/ }).waitFor();
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('row', { name: /Fee changed/i }).waitFor();
    expect(new URL(page.url()).search).toBe('?part=history');
  });
});

describe('the command palette', () => {
  it('works on any page: it halts, prepares a pause, and signs out', async () => {
    const page = await open();
    await page.goto('/audit');
    const choose = async (text: string, item: string) => {
      await page.getByText('Search or go to').click();
      await page.getByRole('dialog', { name: 'Command palette' }).locator('input:focus').waitFor();
      await page.keyboard.type(text);
      await page.getByRole('menuitem', { name: new RegExp(`^${item}`) }).click();
    };
    await choose('halt del', 'Halt deliveries');
    await page.getByRole('dialog', { name: 'Halt deliveries' }).getByLabel('Reason').waitFor();
    await page.keyboard.press('Escape');
    await choose('pause', 'Pause the contracts');
    await page.getByRole('dialog', { name: 'Prepare a contract call' }).getByText('Signed by').waitFor();
    await page.keyboard.press('Escape');
    await choose('sign', 'Sign out');
    await heading(page, 'Sign in to the console');
    expect(server.changes.at(-1)).toMatchObject({ method: 'DELETE', path: '/session' });
  });
});
