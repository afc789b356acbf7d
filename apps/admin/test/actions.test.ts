import { injectWallet, startAnvil, testAccount, waitUntil, type Anvil } from '@causeway/test-kit';
import { EXECUTE_ANNOUNCED, computeVersion } from '@causeway/protocol/admin';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { getAddress, verifyTypedData } from 'viem';
import { heading, useConsole } from './console-browser.js';
import { account, ago, contracts, hash, HOSTILE } from './fixtures.js';
import { preview, REFUND_STATE, request } from './request-fixtures.js';

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

type PreviewBody = Parameters<typeof preview>[1];
type RequestSnapshot = Parameters<typeof preview>[2];

/** Makes the API answer previews with this state. */
function decideOn(state: RequestSnapshot, isSigned: boolean): void {
  const answer = (body: PreviewBody) => ({ body: preview(ID, body, state, isSigned) });
  server.answers.set('POST /requests/preview', answer);
}

/** Reads the names and values in a part of a page. */
async function factsIn(part: Locator): Promise<Record<string, string>> {
  const [names, values] = await Promise.all([part.locator('dt').allInnerTexts(), part.locator('dd').allInnerTexts()]);
  return Object.fromEntries(names.map((name, index) => [name, values[index]!]));
}

describe('a request', () => {
  it('without a signature is shown as done only when the relayer has ended it', async () => {
    const terms = { kind: 'RETRY', operationId: hash('ab') } as const;
    const queued = { ...request(ID, 'QUEUED'), terms, approvalsNeeded: 0, approvals: [], typedData: null };
    server.requests.set(ID, queued);
    decideOn({ about: 'operation', status: 'DELAYED', delayedReason: 'FLOAT_SHORT', isPaused: true }, false);
    server.answers.set('POST /requests', () => ({ body: queued }));
    const { page } = await openWithWallet(`/operations/${hash('ab')}`);
    await page.getByRole('button', { name: 'Retry now' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('Give a reason of at least 3 characters.').waitFor();
    await page.getByLabel('Reason').fill('The float\nis full again');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('No signature is needed.').waitFor();
    await page.getByText(`Retry the operation ${hash('ab')} now`).waitFor();
    await page.getByRole('button', { name: 'Submit request' }).click();
    await page.getByText('Nothing has happened yet: the relayer').waitFor();
    expect(await page.getByText(/^Done/).count()).toBe(0);
    server.requests.set(ID, {
      ...queued,
      state: 'DONE',
      endedAt: ago(0),
      outcome: 'It waits again: the float is short.',
    });
    server.emit('changed', { what: 'requests' });
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Done: It waits again: the float is short.').waitFor();
    expect(await dialog.locator('.text-good').count()).toBe(0);
    expect(server.changes.at(-1)).toMatchObject({
      path: '/requests',
      csrfToken: 'csrf',
      body: { requestId: ID, terms, reason: 'The float is full again', signature: null },
    });
  });

  it('whose state changed shows the changes, and is signed again', async () => {
    const states = [REFUND_STATE, { ...REFUND_STATE, status: 'APPROVED', recipient: account('b2') } as const];
    const latest = computeVersion(states[1]!);
    server.answers.set('POST /requests/preview', (body: PreviewBody) => ({
      body: preview(ID, body, states.shift()!, true),
    }));
    server.answers.set('POST /requests', (body: { version: string }) =>
      body.version === latest
        ? { body: request(ID) }
        : { status: 409, body: { error: 'STALE_VERSION', message: 'The state changed.' } },
    );
    server.requests.set(ID, request(ID));
    const { page } = await openWithWallet(`/refunds/${hash('e1')}`);
    await page.getByRole('button', { name: 'Approve to the payer' }).click();
    await page.getByLabel('Reason').fill('The payer wrote to us');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Sign and submit' }).click();
    await page.getByText('The state has changed. Nothing was submitted; review the new values.').waitFor();
    await page.getByRole('row', { name: 'Status REQUESTED APPROVED' }).waitFor();
    await page.getByRole('button', { name: 'Sign and submit' }).click();
    await page.getByText('Nothing has happened yet: another member must approve it.').waitFor();
    expect(server.changes.filter(({ path }) => path === '/requests')).toHaveLength(2);
  });

  it('is not sent if the wallet refuses, stalls, or switches its account', async () => {
    decideOn(REFUND_STATE, true);
    const { page, wallet } = await openWithWallet(`/refunds/${hash('e1')}`);
    await page.getByRole('button', { name: 'Refuse' }).click();
    await page.getByLabel('Reason').fill('It was paid already');
    await page.getByRole('button', { name: 'Continue' }).click();
    wallet.mood = 'refuse';
    await page.getByRole('button', { name: 'Sign and submit' }).click();
    await page.getByText(/The wallet refused/).waitFor();
    wallet.mood = 'stall';
    wallet.chainId = 8_901;
    await page.getByRole('button', { name: 'Sign and submit' }).click();
    await page.getByRole('button', { name: 'Stop waiting' }).click();
    await page.getByText('You stopped waiting for the wallet.').waitFor();
    await page.getByRole('button', { name: 'Sign and submit' }).click();
    await page.getByText('Waiting for the wallet').waitFor();
    await waitUntil(
      'the wallet is asked again',
      async () => wallet.calls.filter((method) => method === 'eth_signTypedData_v4').length === 3,
    );
    await wallet.switchAccount(testAccount(2));
    await page.getByText(/The wallet's account changed/).waitFor();
    expect(server.changes.map(({ path }) => path)).not.toContain('/requests');
  });
});

describe('the words of a request', () => {
  const [payer, sum] = [getAddress(account('a1')), '6,000 XCN'];
  const action = `Refund ${sum} to ${payer} on the partner chain`;
  const WORDS = { Action: action, Amount: sum, Recipient: payer, Chain: 'Partner chain' };
  const LABELS: Readonly<Record<string, string>> = { requestId: 'Request id', validUntil: 'Valid until' };
  const getLabel = (name: string) => LABELS[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  /** Returns the fields of the last message for the wallet, by the labels of the page. */
  const asked = (wallet: Awaited<ReturnType<typeof openWithWallet>>['wallet']) =>
    Object.fromEntries(
      Object.entries(wallet.typedData.at(-1)!.message).map(([name, value]) => [getLabel(name), String(value)]),
    );

  it("in the dialog equal the wallet's message, and the raw fields are collapsed", async () => {
    decideOn(REFUND_STATE, true);
    server.requests.set(ID, request(ID));
    server.answers.set('POST /requests', () => ({ body: request(ID) }));
    const { page, wallet } = await openWithWallet(`/refunds/${hash('e1')}`);
    await page.getByRole('button', { name: 'Approve to the payer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('The payer wrote to us');
    await dialog.getByRole('button', { name: 'Continue' }).click();
    await dialog.getByText(action).waitFor();
    expect(await dialog.getByText(/6000000000000000000000/).isVisible()).toBe(false);
    await dialog.getByText('Exact terms').click();
    const shown = await factsIn(dialog.getByRole('region', { name: /^Your wallet shows/ }));
    expect(shown).toMatchObject({ ...WORDS, Reason: 'The payer wrote to us' });
    expect(shown['Expires']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    await dialog.getByRole('button', { name: 'Sign and submit' }).click();
    await dialog.getByText('Nothing has happened yet: another member must approve it.').waitFor();
    expect(asked(wallet)).toEqual(shown);
    expect(Object.keys(asked(wallet))).toEqual(Object.keys(shown));
  });

  it('are the same in the list, on the page, in the dialog and in the wallet of the second member', async () => {
    const waiting = request(hash('f1'));
    server.requests.set(waiting.id, waiting);
    server.answers.set(`POST /requests/${waiting.id}/approvals`, () => ({ body: { ...waiting, state: 'QUEUED' } }));
    const { page, wallet } = await openWithWallet('/approvals');
    await page.getByRole('link', { name: action }).first().click();
    const card = page.getByRole('region', { name: 'The request', exact: true });
    await card.getByText(action).waitFor();
    expect(await factsIn(card)).toMatchObject({ ...WORDS, Reason: waiting.reason });
    expect(waiting.reason).toContain(HOSTILE);
    expect(await page.getByText(/6000000000000000000000/).isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Exact terms').click();
    const shown = await factsIn(dialog.locator('div', { has: page.getByText('Exact terms') }).last());
    await dialog.getByRole('button', { name: 'Sign the approval' }).click();
    await dialog.getByText('Queued').waitFor();
    expect(asked(wallet)).toEqual(shown);
    expect(shown).toMatchObject(WORDS);
  });

  it('that do not match the request and its state cannot be signed', async () => {
    const waiting = request(hash('f1'));
    const typedData = waiting.typedData as { readonly message: object };
    const message = { ...typedData.message, amount: '6 XCN' };
    server.requests.set(waiting.id, { ...waiting, typedData: { ...typedData, message } });
    const { page, wallet } = await openWithWallet(`/approvals/${waiting.id}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Do not sign. The wallet would show different data than this page.').waitFor();
    expect(await dialog.getByRole('button', { name: 'Sign the approval' }).isDisabled()).toBe(true);
    expect(wallet.calls).not.toContain('eth_signTypedData_v4');
  });
});

describe('the dialog of a halt', () => {
  it('stays and shows the result, although the halt removes its button', async () => {
    const queued = {
      ...request(ID, 'QUEUED'),
      terms: { kind: 'HALT', target: 'deliveries' } as const,
      typedData: null,
    };
    server.requests.set(ID, queued);
    decideOn({ about: 'halt', halt: null, unknown: [] }, false);
    server.answers.set('POST /requests', () => ({ body: queued }));
    const { page } = await openWithWallet('/pauses-and-halts');
    const row = page.getByRole('row', { name: /Deliveries to both chains/ });
    await row.getByRole('button', { name: 'Halt' }).click();
    await page.getByLabel('Reason').fill('Unknown deliveries');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Submit request' }).click();
    await page.getByText('Nothing has happened yet: the relayer').waitFor();
    server.deliveriesHalt = { since: ago(0), reason: 'Unknown deliveries' };
    server.requests.set(ID, { ...queued, state: 'DONE', endedAt: ago(0), outcome: 'Deliveries are halted.' });
    server.emit('changed', { what: 'halts' });
    server.emit('changed', { what: 'requests' });
    await page.getByText('Done: Deliveries are halted.').waitFor();
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

  it('of an expired request is refused with a message', async () => {
    server.answers.set(`POST /requests/${hash('f1')}/approvals`, () => ({
      status: 410,
      body: { error: 'APPROVAL_EXPIRED', message: 'The request expired at 12:00:00 UTC. Ask again.' },
    }));
    const { page } = await openWithWallet(`/approvals/${hash('f1')}`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByRole('button', { name: 'Sign the approval' }).click();
    await page.getByText('The request expired at 12:00:00 UTC. Ask again.').waitFor();
    expect(await page.getByText('The request was not approved.').count()).toBe(1);
  });

  it('of one’s own request is not offered', async () => {
    server.requests.set(hash('f1'), { ...request(), requestedBy: ME.address.toLowerCase() as `0x${string}` });
    const { page } = await openWithWallet(`/approvals/${hash('f1')}`);
    await page.getByText('You signed this request: another member must approve it.').waitFor();
    await page.getByText('Ada', { exact: true }).waitFor();
    await page.getByText('(you)', { exact: true }).waitFor();
    await page.getByText('Grace', { exact: true }).waitFor();
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
        maySend: true,
        problem: null,
      },
    ],
    safeTransaction: { 31_337: { version: '1.0' } },
  };

  async function prepare(isSimulated = true) {
    const transactions = prepared.transactions.map((transaction) => ({ ...transaction, isSimulated }));
    server.answers.set('POST /contracts/calls/prepare', () => ({ body: { ...prepared, transactions } }));
    server.answers.set('POST /contracts/calls/report', () => ({ body: {} }));
    const opened = await openWithWallet('/fees-and-limits');
    const { page } = opened;
    await heading(page, 'Fees and limits');
    await page.getByRole('button', { name: 'Prepare a contract call' }).click();
    for (const [label, choice] of [
      [/Side/, 'Ethereum'],
      [/Direction/, 'In'],
    ] as const) {
      await page.getByRole('combobox', { name: label }).selectOption({ label: choice });
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
    await page.getByText('Mined. The page updates').waitFor();
    const { body } = server.changes.at(-1) as { body: { transactions: { side: string; txHash: `0x${string}` }[] } };
    const [sent] = body.transactions;
    const transaction = await anvil.client.getTransaction({ hash: sent!.txHash });
    expect([transaction.to, transaction.input, sent!.side]).toEqual([account('0b'), '0x8456cb59', 'ethereum']);
    expect(body).toMatchObject({ command: 'pause', reason: 'An attack is running' });
  });

  it('that the nodes cannot simulate is marked as such', async () => {
    const { page } = await prepare(false);
    const sentence = 'The nodes cannot simulate this call: the values after it are computed from the arguments.';
    expect(await page.getByText(sentence).isVisible()).toBe(true);
  });

  it('that the wallet replaced is followed by its nonce', async () => {
    const { page, wallet } = await prepare();
    wallet.replacesNext = 'speed-up';
    await page.getByRole('button', { name: 'Sign with wallet' }).click();
    await page.getByText('The wallet replaced it with the same call at another gas price.').waitFor();
    expect(server.changes.filter(({ path }) => path === '/contracts/calls/report')).toHaveLength(2);
  });

  it('that was scheduled is executed by the wallet only once it is ready', async () => {
    const [announced] = contracts().announced;
    const { execute } = announced!;
    const announce = (isReady: boolean) => {
      const transaction = { ...execute, side: 'ethereum', chainId: 31_337, maySend: isReady, problem: null };
      server.reads.set('/contracts', { announced: [{ ...announced, isReady, execute: transaction }] });
      server.emit('resync', {});
    };
    announce(false);
    server.answers.set('POST /contracts/calls/report', () => ({ body: {} }));
    const { page } = await openWithWallet('/fees-and-limits');
    const button = page.getByRole('row', { name: /Set fee/ }).getByRole('button', { name: 'Execute' });
    expect(await button.isDisabled()).toBe(true);
    await page.getByText('Live', { exact: true }).waitFor();
    announce(true);
    await page.getByText('Ready to execute').waitFor();
    await button.click();
    const dialog = page.getByRole('dialog', { name: 'Execute: Set fee' });
    await dialog.getByText('Computed, not simulated').waitFor();
    expect(await dialog.getByRole('button', { name: 'Sign with wallet' }).isDisabled()).toBe(true);
    await dialog.getByLabel('Reason').fill('The delay is over');
    server.reads.set('/contracts', { announced: [] });
    await dialog.getByRole('button', { name: 'Sign with wallet' }).click();
    await dialog.getByText('Mined. The page updates').waitFor();
    await page.getByText('No calls are pending in the timelock.').waitFor({ state: 'attached' });
    const { body } = server.changes.at(-1) as { body: { transactions: { txHash: `0x${string}` }[] } };
    const { to, input } = await anvil.client.getTransaction({ hash: body.transactions[0]!.txHash });
    expect({ to, input }).toEqual({ to: execute!.to, input: execute!.data });
    expect(body).toMatchObject({ command: EXECUTE_ANNOUNCED, reason: 'The delay is over' });
  });

  it('can be exported for a Safe', async () => {
    const { page } = await prepare();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export for a Safe on chain 31337' }).click();
    expect((await download).suggestedFilename()).toBe('pause-31337.json');
  });
});
