import { injectWallet, startAnvil, testAccount, waitUntil, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyTypedData } from 'viem';
import { heading, useConsole } from './console-browser.js';
import { account, ago, hash, request, typedData } from './fixtures.js';

// Actions of members in Chromium, with wallets that sign with real keys.

const { server, watch } = useConsole();
const ME = testAccount(1);
const ID = hash('7a');
let anvil: Anvil;

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(async () => anvil?.stop());

async function openWithWallet(path: string) {
  server.address = ME.address.toLowerCase() as `0x${string}`;
  const { page, context } = await watch();
  const wallet = await injectWallet(context, 'Test wallet', ME, { 31_337: anvil.url, 8_901: anvil.url });
  await page.goto(path);
  return { page, wallet };
}

const preview = (state: Record<string, unknown>, version: string, isSigned: boolean) => ({
  requestId: ID,
  version,
  validUntil: Math.floor(Date.now() / 1_000) + 900,
  approvalsNeeded: isSigned ? 2 : 0,
  state,
  typedData: isSigned ? typedData(ID) : null,
});

describe('a request', () => {
  it('without a signature is done only when the relayer says so', async () => {
    const terms = { kind: 'RETRY', operationId: hash('ab') } as const;
    const queued = { ...request(ID, 'QUEUED'), terms, approvalsNeeded: 0, approvals: [], typedData: null };
    server.requests.set(ID, queued);
    server.answers.set('POST /requests/preview', () => ({ body: preview({ status: 'DELAYED' }, hash('01'), false) }));
    server.answers.set('POST /requests', () => ({ body: queued }));
    const { page } = await openWithWallet(`/operations/${hash('ab')}`);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Say why, in at least 3 characters.').waitFor();
    await page.getByLabel('Reason').fill('The float\nis full again');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No signature is needed.').waitFor();
    await page.getByRole('button', { name: 'Ask the relayer' }).click();
    await page.getByText('Nothing has happened yet: the relayer').waitFor();
    expect(await page.getByText('Done.').count()).toBe(0);
    server.requests.set(ID, { ...queued, state: 'DONE', endedAt: ago(0), outcome: 'The pause has ended.' });
    server.emit('changed', { what: 'requests' });
    await page.getByText('Done. The relayer carried it out.').waitFor();
    expect(server.changes.at(-1)).toMatchObject({
      path: '/requests',
      csrfToken: 'csrf',
      body: { requestId: ID, terms, reason: 'The float is full again', version: hash('01'), signature: null },
    });
  });

  it('whose state changed shows what changed, and is signed again', async () => {
    const states = [
      preview({ status: 'REQUESTED', decisions: 0 }, hash('01'), true),
      preview({ status: 'REQUESTED', decisions: 1 }, hash('02'), true),
    ];
    server.answers.set('POST /requests/preview', () => ({ body: states.shift() }));
    server.answers.set('POST /requests', (body: { version: string }) =>
      body.version === hash('02')
        ? { body: request(ID) }
        : { status: 409, body: { error: 'STALE_VERSION', message: 'The state changed.' } },
    );
    server.requests.set(ID, request(ID));
    const { page } = await openWithWallet(`/refunds/${hash('e1')}`);
    await page.getByRole('button', { name: 'Approve to the payer' }).click();
    await page.getByLabel('Reason').fill('The payer wrote to us');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Sign and ask' }).click();
    await page.getByText('The state changed meanwhile. Nothing was done; look again.').waitFor();
    await page.getByRole('row', { name: 'Decisions 0 1' }).waitFor();
    await page.getByRole('button', { name: 'Sign and ask' }).click();
    await page.getByText('Nothing has happened yet: another person must approve it.').waitFor();
    expect(server.changes.filter(({ path }) => path === '/requests')).toHaveLength(2);
  });

  it('is not sent when the wallet refuses, stalls, or switches its account', async () => {
    server.answers.set('POST /requests/preview', () => ({ body: preview({ status: 'REQUESTED' }, hash('01'), true) }));
    const { page, wallet } = await openWithWallet(`/refunds/${hash('e1')}`);
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByLabel('Reason').fill('It was paid already');
    await page.getByRole('button', { name: 'Continue' }).click();
    wallet.mood = 'refuse';
    await page.getByRole('button', { name: 'Sign and ask' }).click();
    await page.getByText(/The wallet refused/).waitFor();
    wallet.mood = 'stall';
    wallet.chainId = 8_901;
    await page.getByRole('button', { name: 'Sign and ask' }).click();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByText('You stopped waiting for the wallet.').waitFor();
    await page.getByRole('button', { name: 'Sign and ask' }).click();
    await page.getByText('Waiting for the wallet').waitFor();
    await waitUntil(
      'the wallet is asked again',
      async () => wallet.calls.filter((method) => method === 'eth_signTypedData_v4').length === 3,
    );
    await wallet.switchAccount(testAccount(2));
    await page.getByText(/The account of the wallet changed meanwhile/).waitFor();
    expect(server.changes.map(({ path }) => path)).not.toContain('/requests');
  });
});

describe('the dialog of a halt', () => {
  it('stays and shows its end, though the halt removes the button that began it', async () => {
    const queued = {
      ...request(ID, 'QUEUED'),
      terms: { kind: 'HALT', target: 'deliveries' } as const,
      typedData: null,
    };
    server.requests.set(ID, queued);
    server.answers.set('POST /requests/preview', () => ({ body: preview({ isHalted: false }, hash('01'), false) }));
    server.answers.set('POST /requests', () => ({ body: queued }));
    const { page } = await openWithWallet('/pauses-and-halts');
    const row = page.getByRole('row', { name: /Deliveries to both chains/ });
    await row.getByRole('button', { name: 'Halt' }).click();
    await page.getByLabel('Reason').fill('Unknown deliveries');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Ask the relayer' }).click();
    await page.getByText('Nothing has happened yet: the relayer').waitFor();
    server.deliveriesHalt = { since: ago(0), reason: 'Unknown deliveries' };
    server.requests.set(ID, { ...queued, state: 'DONE', endedAt: ago(0), outcome: 'Deliveries are halted.' });
    server.emit('changed', { what: 'halts' });
    server.emit('changed', { what: 'requests' });
    await page.getByText('Done. The relayer carried it out.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
    await row.getByRole('button', { name: 'Resume', exact: true }).waitFor();
    expect(await row.getByRole('button', { name: 'Halt' }).count()).toBe(0);
  });
});

describe('an approval', () => {
  it('is the signature of the typed data that the page showed', async () => {
    const waiting = request(hash('f1'));
    server.requests.set(waiting.id, waiting);
    server.answers.set(`POST /requests/${waiting.id}/approvals`, () => ({ body: { ...waiting, state: 'QUEUED' } }));
    const { page } = await openWithWallet(`/approvals/${waiting.id}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('The payer wrote to us').waitFor();
    await dialog.getByRole('button', { name: 'Sign the approval' }).click();
    await dialog.getByText('Queued').waitFor();
    const { signature } = server.changes.at(-1)!.body as { signature: `0x${string}` };
    const signed = waiting.typedData as unknown as Parameters<typeof verifyTypedData>[0];
    expect(await verifyTypedData({ ...signed, address: ME.address, signature })).toBe(true);
  });

  it('of an expired request says so', async () => {
    server.answers.set(`POST /requests/${hash('f1')}/approvals`, () => ({
      status: 410,
      body: { error: 'APPROVAL_EXPIRED', message: 'The request expired at 12:00:00 UTC. Ask again.' },
    }));
    const { page } = await openWithWallet(`/approvals/${hash('f1')}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await page.getByText('The request expired at 12:00:00 UTC. Ask again.').waitFor();
    expect(await page.getByText('It is not approved.').count()).toBe(1);
  });

  it('of one’s own request is not offered', async () => {
    server.requests.set(hash('f1'), { ...request(), requestedBy: ME.address.toLowerCase() as `0x${string}` });
    const { page } = await openWithWallet(`/approvals/${hash('f1')}`);
    await page.getByText('You signed it: another person must approve.').waitFor();
    expect(await page.getByRole('button', { name: 'Approve' }).count()).toBe(0);
  });
});

describe('a contract call', () => {
  const prepared = {
    transactions: [
      {
        side: 'ethereum',
        chainId: 31_337,
        step: 'call',
        contract: 'BridgeLock',
        functionName: 'pause',
        arguments: [{ name: 'direction', value: 'in' }],
        to: account('0b'),
        data: '0x8456cb59',
        value: '0',
        readyAt: null,
        callHash: hash('cc'),
        blockNumber: 12,
        changes: [{ name: 'isPaused', before: 'no', after: 'yes' }],
        isSimulated: true,
        maySend: true,
        problem: null,
      },
    ],
    safeTransaction: { 31_337: { version: '1.0' } },
  };

  async function prepare() {
    server.answers.set('POST /contracts/calls/prepare', () => ({ body: prepared }));
    server.answers.set('POST /contracts/calls/report', () => ({ body: {} }));
    const opened = await openWithWallet('/fees-and-limits');
    const { page } = opened;
    await heading(page, 'Fees and limits');
    await page.getByRole('button', { name: 'Prepare a contract call' }).click();
    for (const [label, choice] of [
      [/Side:/, 'ethereum'],
      [/Direction:/, 'in'],
    ] as const) {
      await page.getByRole('button', { name: label }).click();
      await page.getByRole('option', { name: choice, exact: true }).click();
    }
    await page.getByLabel('Reason').fill('An attack is running');
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByRole('row', { name: 'Is paused no yes' }).waitFor();
    return opened;
  }

  it('is decoded, signed by the wallet, followed and reported', async () => {
    const { page } = await prepare();
    await page.getByText(hash('cc')).waitFor();
    await page.getByRole('button', { name: 'Sign with wallet' }).click();
    await page.getByText('Mined. The values of the page follow').waitFor();
    const { body } = server.changes.at(-1) as { body: { transactions: { side: string; txHash: `0x${string}` }[] } };
    const [sent] = body.transactions;
    const transaction = await anvil.client.getTransaction({ hash: sent!.txHash });
    expect([transaction.to, transaction.input, sent!.side]).toEqual([account('0b'), '0x8456cb59', 'ethereum']);
    expect(body).toMatchObject({ command: 'pause', reason: 'An attack is running' });
  });

  it('that the wallet replaced is followed by its nonce', async () => {
    const { page, wallet } = await prepare();
    wallet.replacesNext = true;
    await page.getByRole('button', { name: 'Sign with wallet' }).click();
    await page.getByText('The wallet replaced it by the same call with another gas price.').waitFor();
    expect(server.changes.filter(({ path }) => path === '/contracts/calls/report')).toHaveLength(2);
  });

  it('can be exported for a Safe', async () => {
    const { page } = await prepare();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export for a Safe on chain 31337' }).click();
    expect((await download).suggestedFilename()).toBe('pause-31337.json');
  });
});
