import { describe, expect, it } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { canonicalJson, type CanonicalValue } from '@causeway/protocol';
import type { TransferRecord } from '@causeway/sdk';
import { injectWallet, testAccount } from '@causeway/test-kit';
import { keccak256, slice, stringToBytes } from 'viem';
import { linkRecord } from '../src/transfers/record-link.js';
import { MOVE } from '../src/words/move.js';
import { CLOSED_WORDS } from '../src/words/status.js';
import { TRANSFERS } from '../src/words/transfers.js';
import { WALLET } from '../src/words/wallet.js';
import { CONFIG, expectAccessible, expectFitsPhone, heading, usePage } from './web-page.js';

const site = usePage();
const { server } = site;
const OTHER: `0x${string}` = `0x${'9'.repeat(40)}`;
const [ALICE, BOB] = [testAccount(4), testAccount(5)];

const inject = async (context: BrowserContext, name: string, account = ALICE) =>
  injectWallet(context, name, account, {
    [CONFIG.ethereum.chainId]: `${site.origin()}/nodes/ethereum`,
    [CONFIG.partner.chainId]: `${site.origin()}/nodes/partner`,
  });

/** A deposit that was planned on another device. */
function aRecord(terms: Partial<TransferRecord>): TransferRecord {
  const record = {
    version: 1,
    id: `0x${'ab'.repeat(32)}`,
    revision: 1,
    environment: CONFIG.environment,
    kind: 'DEPOSIT',
    asset: 'ETH',
    amount: '500000000000000000',
    maxFee: '0',
    sender: ALICE.address.toLowerCase(),
    recipient: ALICE.address.toLowerCase(),
    chainId: CONFIG.ethereum.chainId,
    contract: CONFIG.ethereum.bridgeLock,
    token: `0x${'0'.repeat(40)}`,
    fromBlock: '1',
    createdAt: '2026-11-27T10:00:00.000Z',
    steps: [{ step: 'send', what: 'transfer', state: 'planned' }],
    ...terms,
  } as Omit<TransferRecord, 'checksum'>;
  const text = canonicalJson(record as unknown as CanonicalValue);
  return { ...record, checksum: slice(keccak256(stringToBytes(text)), 0, 8) };
}

describe('a link', () => {
  it('fills the form, and marks its recipient until it is confirmed', async () => {
    const page = await site.open();
    await page.goto(`/?asset=USDC&to=ethereum&amount=25&recipient=${OTHER}`);
    expect(await page.getByLabel(MOVE.amount, { exact: true }).inputValue()).toBe('25');
    await page.getByText(MOVE.confirmLinkTitle).waitFor();
    await page.getByText(OTHER, { exact: true }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    await page.getByRole('button', { name: MOVE.confirm }).click();
    await page.getByText(MOVE.confirmed).waitFor();
    // On another chain, it can belong to nobody.
    await page.getByLabel(MOVE.direction).selectOption('ETHEREUM_TO_PARTNER');
    await page.getByText(MOVE.confirmLinkTitle).waitFor();
    await page.getByLabel(MOVE.direction).selectOption('PARTNER_TO_ETHEREUM');
    // An edited recipient is the user's own, and confirmed again.
    await page.getByLabel(MOVE.recipientField('Ethereum')).fill(`0x${'8'.repeat(40)}`);
    await page.getByText(MOVE.confirmTitle).waitFor();
  });
});

describe('wallets', () => {
  it('are chosen, asked on a click only, reconnected silently, and followed', async () => {
    const { page, context } = await site.watch();
    const [first, second] = [await inject(context, 'First'), await inject(context, 'Second')];
    await page.goto('/');
    await page.getByRole('button', { name: WALLET.connect }).first().click();
    expect([first.calls, second.calls]).toEqual([[], []]);
    await page.getByRole('dialog').getByRole('button', { name: 'Second' }).click();
    const bar = page.getByRole('region', { name: 'Wallet' });
    await bar.getByTitle(ALICE.address.toLowerCase()).waitFor();
    expect(second.calls).toContain('eth_requestAccounts');

    second.calls.length = 0;
    await page.reload();
    await bar.getByTitle(ALICE.address.toLowerCase()).waitFor();
    expect(second.calls).toContain('eth_accounts');
    expect(second.calls).not.toContain('eth_requestAccounts');

    await second.switchAccount(BOB);
    await bar.getByTitle(BOB.address.toLowerCase()).waitFor();
    await second.switchChain(1);
    await bar.getByText(WALLET.unknownNetwork(1)).waitFor();
    expect(first.calls).toEqual([]);
  });
});

describe('the form', () => {
  it('closes with its reason, and opens again', async () => {
    const page = await site.open();
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const states = { limit: null, reason: 'LIMIT_REACHED', until } as const;
    server.reads.set('/bridge/state', {
      directions: [{ asset: 'ETH', direction: 'ETHEREUM_TO_PARTNER', open: false, ...states }],
    });
    await page.goto('/');
    await page.getByText(CLOSED_WORDS.LIMIT_REACHED).waitFor();
    await page.getByText(MOVE.closedUntil).waitFor();
    await page.getByRole('button', { name: MOVE.buttons.closed }).waitFor();
    server.reads.delete('/bridge/state');
    await page.getByRole('button', { name: MOVE.buttons.closed }).waitFor({ state: 'detached' });
    expect(await page.getByText(CLOSED_WORDS.LIMIT_REACHED).count()).toBe(0);
  });
});

describe('a foreign record', () => {
  it('is shown with its terms, opens no wallet, and continues after a click', async () => {
    const { page, context } = await site.watch();
    const wallet = await inject(context, 'Own');
    const record = aRecord({ recipient: OTHER });
    await page.goto(linkRecord(record, site.origin()));
    await heading(page, TRANSFERS.foreign.title);
    await page.getByText(TRANSFERS.foreign.warning).waitFor();
    await page.getByText(OTHER, { exact: true }).waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    await page.getByRole('button', { name: TRANSFERS.foreign.go }).click();
    await page.getByRole('button', { name: TRANSFERS.offers.sendAgain, exact: true }).waitFor();
    expect(wallet.calls).toEqual([]);
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it('that is altered, or of another bridge, is refused', async () => {
    const page = await site.open();
    const link = linkRecord(aRecord({ contract: OTHER }), site.origin());
    for (const [opened, words] of [
      [link, TRANSFERS.foreign.other],
      [linkRecord(aRecord({ token: OTHER }), site.origin()), TRANSFERS.foreign.other],
      [linkRecord(aRecord({ asset: 'DOGE' }), site.origin()), TRANSFERS.foreign.other],
      [link.slice(0, -8), 'The record cannot be used'],
    ] as const) {
      await page.goto('about:blank');
      await page.goto(opened);
      await page.getByText(words).waitFor();
      expect(await page.getByRole('button', { name: TRANSFERS.foreign.go }).count()).toBe(0);
    }
  });

  it('of a further asset of the address book is shown in its units', async () => {
    const page = await site.open();
    const { addressBook: book } = server.wholeSettings;
    const ethereum = { ...book.ethereum, tokens: { ...book.ethereum.tokens, LINK: OTHER } };
    server.settings = { addressBook: { ...book, ethereum, assets: { LINK: { decimals: 9, dust: '1' } } } };
    await page.goto(linkRecord(aRecord({ asset: 'LINK', token: OTHER, amount: '1500000000' }), site.origin()));
    await page.getByText('1.5 LINK').waitFor();
    await page.getByRole('button', { name: TRANSFERS.foreign.go }).click();
    const row = page.getByRole('listitem', { name: '1.5 LINK' });
    await row.waitFor();
    expect(await row.getByText(TRANSFERS.step.begin.DEPOSIT).count()).toBe(1);
  });

  it('says that the browser cannot store it', async () => {
    const page = await site.open();
    await page.addInitScript(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException('full', 'QuotaExceededError');
      };
    });
    await page.goto(linkRecord(aRecord({}), site.origin()));
    await page.getByRole('button', { name: TRANSFERS.foreign.go }).click();
    await page.getByRole('alert').getByText(TRANSFERS.foreign.unsaved).waitFor();
    expect(await page.getByRole('button', { name: TRANSFERS.foreign.go }).count()).toBe(1);
  });
});

describe('the page opens', () => {
  it('with a record of another bridge at its address, which can be removed', async () => {
    const page = await site.open();
    const record = aRecord({ asset: 'DOGE', contract: OTHER });
    await page.addInitScript(([key, text]) => localStorage.setItem(key, text), [
      `causeway:transfer:${record.id}`,
      JSON.stringify(record),
    ] as const);
    await page.goto('/');
    await page.getByRole('listitem', { name: 'DOGE' }).getByRole('button', { name: TRANSFERS.offers.discard }).click();
    await page.getByText(TRANSFERS.empty).waitFor();
    expect(await page.getByText('DOGE').count()).toBe(0);
  });

  it('while the user blocks the storage', async () => {
    const page = await site.open();
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, {
          get: () => {
            throw new DOMException('denied', 'SecurityError');
          },
        });
    });
    await page.goto('/');
    await page.getByText(TRANSFERS.empty).waitFor();
    await page.getByRole('button', { name: 'Theme: system. Change' }).click();
    await page.getByRole('button', { name: 'Theme: light. Change' }).waitFor();
    expect(await page.getByLabel(MOVE.amount, { exact: true }).count()).toBe(1);
  });

  it('beside a wallet that announces itself wrongly', async () => {
    const page = await site.open();
    await page.addInitScript(() => {
      const provider = { request: async () => [], on: () => undefined, removeListener: () => undefined };
      for (const info of [
        { uuid: '1', rdns: 'no.icon', name: 'No icon' },
        { uuid: '2', rdns: 'no.name', name: {}, icon: '' },
      ])
        addEventListener('eip6963:requestProvider', () =>
          dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail: { info, provider } })),
        );
    });
    await page.goto('/');
    await page.getByRole('button', { name: WALLET.connect }).first().click();
    await page.getByText(WALLET.none.title).waitFor();
    expect(await page.getByRole('dialog').getByText('No icon').count()).toBe(0);
  });
});
