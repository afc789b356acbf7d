import { describe, expect, it } from '@jest/globals';
import { MOVE } from '../src/words/move.js';
import { TRANSFERS } from '../src/words/transfers.js';
import { WALLET } from '../src/words/wallet.js';
import { connect, hasButton, hasText, HELD, ME, openForm, playBridge, type Link, type Mover } from './mover.js';
import { CONFIG, refuse, usePage } from './web-page.js';

// Every row of bad input with its sentence, in Chromium against a played API and played nodes.

const site = usePage();
const { server } = site;
const { amountProblems: AMOUNT, recipientProblems: RECIPIENT, buttons: BUTTONS, closed: CLOSED } = MOVE;
const OTHER = `0x${'9'.repeat(40)}`;

async function open(link: Link = {}): Promise<Mover> {
  playBridge(server);
  const mover = await openForm(site, { asset: 'ETH', to: 'partner', ...link });
  await connect(mover);
  return mover;
}

describe('an amount', () => {
  it.each<[string, Link, readonly (readonly [amount: string, sentence: string])[]]>([
    [
      'of ETH',
      { asset: 'ETH' },
      [
        ['-1', AMOUNT.SIGN()],
        ['one', AMOUNT.LETTERS()],
        ['1e3', AMOUNT.EXPONENT()],
        ['1,000', AMOUNT.COMMA()],
        ['1 000', AMOUNT.SPACE()],
        ['$5', AMOUNT.SYMBOLS()],
        ['1.2.3', AMOUNT.POINTS()],
        ['0.00', AMOUNT.ZERO()],
        ['', BUTTONS.amount],
      ],
    ],
    ['with too many decimals', { asset: 'USDC' }, [['1.1234567', AMOUNT.DECIMALS('USDC', 6)]]],
    ['with dust', { asset: 'XCN', to: 'ethereum' }, [['6000.000000000001', AMOUNT.DUST('XCN', 8)]]],
  ])('%s that is wrong has its sentence', async (_, link, rows) => {
    const { page, wallet } = await open(link);
    for (const [amount, sentence] of rows) {
      await page.getByLabel(MOVE.amount, { exact: true }).fill(amount);
      expect([amount, await hasText(page, sentence)]).toEqual([amount, true]);
    }
    expect(wallet.transactions).toEqual([]);
  });

  it('pasted with spaces around it and its own symbol is understood', async () => {
    const { page } = await open();
    await page.getByLabel(MOVE.amount, { exact: true }).fill('  1.50 ETH ');
    expect(await hasButton(page, BUTTONS.DEPOSIT('1.5 ETH'))).toBe(true);
  });

  it('over the balance is lowered by a button', async () => {
    const { page } = await open({ amount: '11' });
    expect(await hasText(page, `${ME.address.toLowerCase()} has 10 ETH on the local Ethereum`)).toBe(true);
    await page.getByRole('button', { name: /^Change the amount to 9\.\d+ ETH$/ }).click();
    expect(await hasButton(page, /^Deposit 9\.\d+ ETH$/)).toBe(true);
  });

  it('of everything leaves the gas, also by Max', async () => {
    const { page } = await open({ amount: '10' });
    expect(await hasText(page, /the transfer takes 10 ETH and up to [\d.]+ ETH for gas/)).toBe(true);
    await page.getByRole('button', { name: /^Use the most that this account can move/ }).click();
    expect(await hasButton(page, /^Deposit 9\.\d+ ETH$/)).toBe(true);
    expect(HELD.coin).toBe(10n ** 19n);
  });
});

describe('a recipient', () => {
  it('that is wrong has its sentence', async () => {
    const { page, wallet } = await open({ amount: '1' });
    await page.getByRole('button', { name: MOVE.useAnother }).click();
    const field = page.getByLabel(MOVE.recipientField('Partner chain'));
    for (const [recipient, sentence] of [
      ['0x1234', RECIPIENT.length(6)],
      [ME.address.slice(2), RECIPIENT.prefix],
      [ME.address.replace('5d34', '5D34'), RECIPIENT.checksum],
      ['alice.eth', RECIPIENT.name],
    ] as const) {
      await field.fill(recipient);
      expect([recipient, await hasText(page, sentence)]).toEqual([recipient, true]);
    }
    const { relayerWalletAddress: relayer, ethereum } = CONFIG;
    for (const [recipient, name] of [
      [`0x${'0'.repeat(40)}`, 'the zero address'],
      [ethereum.tokens.find((each) => each.token === 'USDC')?.address ?? '', 'the contract of USDC'],
      [ethereum.bridgeLock, 'BridgeLock'],
      [relayer ?? '', 'the relayer wallet of the bridge'],
    ] as const) {
      await field.fill(recipient);
      await page.getByRole('button', { name: MOVE.confirm }).click();
      const sentence = `The recipient is ${name}: the funds would be lost there.`;
      expect([recipient, await hasText(page, sentence)]).toEqual([recipient, true]);
    }
    expect(wallet.transactions).toEqual([]);
  });

  it('that is a contract without code there is only accepted knowingly', async () => {
    const message = `${OTHER} is a contract on Ethereum and has no code on the partner chain.`;
    playBridge(server);
    const usual = server.reads.get('/bridge/fee-quote') as (url: URL, body: unknown) => { body: object };
    server.reads.set('/bridge/fee-quote', (url, body) => ({
      body: { ...usual(url, body).body, warnings: [{ code: 'RECIPIENT_HAS_NO_CODE', field: 'recipient', message }] },
    }));
    const mover = await openForm(site, { asset: 'ETH', to: 'partner', amount: '1', recipient: OTHER });
    await connect(mover);
    await mover.page.getByRole('button', { name: MOVE.confirm }).click();
    expect(await hasText(mover.page, message)).toBe(true);
    expect(await hasButton(mover.page, BUTTONS.findings)).toBe(true);
    await mover.page.getByRole('button', { name: MOVE.remedies.accept }).click();
    expect(await hasButton(mover.page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
  });
});

describe('a wallet', () => {
  it('that is missing is described', async () => {
    const page = await site.open();
    await page.goto('/');
    await page.getByRole('button', { name: WALLET.connect }).first().click();
    expect(await hasText(page, WALLET.none.title)).toBe(true);
  });

  it('of window.ethereum works like an announced one', async () => {
    playBridge(server);
    const mover = await openForm(site, { asset: 'ETH', amount: '1' }, { isLegacy: true });
    await connect(mover);
    expect(await hasButton(mover.page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
  });

  it('that is locked is unlocked and then connected', async () => {
    playBridge(server);
    const mover = await openForm(site, { asset: 'ETH', amount: '1' });
    mover.wallet.isLocked = true;
    await connect(mover);
    expect(await hasText(mover.page, WALLET.connecting('Own wallet'))).toBe(true);
    await mover.page.getByRole('button', { name: WALLET.stop }).click();
    mover.wallet.isLocked = false;
    await connect(mover);
    expect(await hasButton(mover.page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
  });

  it('on the wrong network is switched, also to one that it does not know', async () => {
    playBridge(server);
    const mover = await openForm(site, { asset: 'XCN', to: 'ethereum', amount: '6000' });
    const { page, wallet } = mover;
    server.nodes.set('eth_getBalance', () => '0x21e19e0c9bab2400000');
    wallet.unknownChains.add(8_901);
    await connect(mover);
    expect(await hasButton(page, /^Switch to Partner chain$/)).toBe(true);
    await page
      .getByRole('button', { name: /^Switch to Partner chain$/ })
      .first()
      .click();
    expect(await hasButton(page, BUTTONS.WITHDRAW_NATIVE('6000 XCN'))).toBe(true);
    expect(wallet.addedNodes).toEqual(server.wholeSettings.partner.rpcUrls);
  });

  it('that refuses leaves a transfer which is offered again', async () => {
    const { page, wallet } = await open({ amount: '1' });
    wallet.mood = 'refuse';
    await page.getByRole('button', { name: BUTTONS.DEPOSIT('1 ETH') }).click();
    expect(await hasText(page, /refused/i)).toBe(true);
    expect(wallet.transactions).toHaveLength(1);
  });

  it('that answers never is waited for, with a hint after a minute', async () => {
    playBridge(server);
    const mover = await openForm(site, { asset: 'ETH', amount: '1' });
    const { page, wallet } = mover;
    await page.clock.install();
    await connect(mover);
    wallet.mood = 'stall';
    await page.getByRole('button', { name: BUTTONS.DEPOSIT('1 ETH') }).click();
    expect(await hasText(page, TRANSFERS.states.asked.word)).toBe(true);
    await page.clock.fastForward(61_000);
    expect(await hasText(page, WALLET.late)).toBe(true);
    expect(wallet.transactions).toHaveLength(1);
  });

  it('that switches its account or network is followed before the next request', async () => {
    const { page, wallet } = await open({ amount: '1' });
    expect(await hasButton(page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
    // A chain whose node the wallet does not know.
    await wallet.switchChain(1);
    expect(await hasButton(page, /^Switch to Ethereum$/)).toBe(true);
    await wallet.switchChain(31_337);
    expect(await hasButton(page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
    expect(wallet.transactions).toEqual([]);
  });
});

describe('a network', () => {
  it('that is offline closes the form, which opens again', async () => {
    const { page } = await open({ amount: '1' });
    expect(await hasButton(page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
    await page.context().setOffline(true);
    expect(await hasText(page, CLOSED.OFFLINE)).toBe(true);
    expect(await hasButton(page, BUTTONS.closed)).toBe(true);
    await page.context().setOffline(false);
    expect(await hasButton(page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
  });

  it('whose node lies about a receipt leaves a transfer that is not shown as sent', async () => {
    const { page, wallet } = await open({ amount: '1' });
    const receipt = (hash: unknown) => ({ transactionHash: hash, blockNumber: '0x80', status: '0x1', logs: [] });
    server.nodes.set('eth_getTransactionReceipt', ([hash]) => receipt(hash));
    await page.getByRole('button', { name: BUTTONS.DEPOSIT('1 ETH') }).click();
    expect(await hasText(page, TRANSFERS.undecided.title)).toBe(true);
    expect(await hasText(page, 'success, but not this transfer')).toBe(true);
    expect(wallet.sent).toBe(1);
  });

  it('whose clock is an hour off is described', async () => {
    playBridge(server);
    const mover = await openForm(site, { asset: 'ETH', amount: '1' });
    await mover.page.clock.install({ time: Date.now() + 3_600_000 });
    await mover.page.reload();
    expect(await hasText(mover.page, MOVE.clock)).toBe(true);
  });

  it('whose API is busy or away closes the form within 20 seconds, and opens it again', async () => {
    const { page } = await open({ amount: '1' });
    expect(await hasButton(page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
    server.reads.set('/bridge/state', () => refuse('RATE_LIMITED', 'Too many requests.', 429));
    expect(await hasText(page, CLOSED.API_BUSY)).toBe(true);
    server.reads.set('/bridge/state', () => refuse('SERVICE_UNAVAILABLE', 'Retry shortly.', 503));
    expect(await hasText(page, CLOSED.API_AWAY)).toBe(true);
    server.reads.delete('/bridge/state');
    expect(await hasButton(page, BUTTONS.DEPOSIT('1 ETH'))).toBe(true);
  });
});
