import { injectWallet, testAccount, type InjectedWallet, type WalletKind } from '@causeway/test-kit';
import type { Locator, Page } from 'playwright-core';
import { encodeAbiParameters, formatUnits, numberToHex, parseUnits } from 'viem';
import { WALLET } from '../src/words/wallet.js';
import { CONFIG, type usePage, type WebServer } from './web-page.js';

/** The entries that a link fills into the form. */
export interface Link {
  readonly asset?: string;
  readonly to?: 'ethereum' | 'partner';
  readonly amount?: string;
  readonly recipient?: string;
}

/** The account of the wallet. */
export const ME = testAccount(4);
/** What the account holds of the coin of each chain, and of each token. */
export const HELD = { coin: 10n * 10n ** 18n, token: 1_000n * 10n ** 6n };
/** Also the longest time until the form closes. */
const PATIENCE_MS = 20_000;
const FEES = CONFIG.withdrawals;

/** Plays a bridge that quotes every amount, and nodes of an account with funds. */
export function playBridge(server: WebServer): void {
  server.reads.set('/bridge/fee-quote', ({ searchParams }) => ({ body: quote(searchParams) }));
  const number = '0x80';
  const block = () => ({
    number,
    hash: `0x${'1'.repeat(64)}`,
    timestamp: numberToHex(Math.floor(Date.now() / 1_000)),
    baseFeePerGas: '0x3b9aca00',
    transactions: [],
  });
  const answers: Readonly<Record<string, (params: readonly unknown[], side: string) => unknown>> = {
    eth_chainId: (_, side) => numberToHex(CONFIG[side as 'ethereum' | 'partner'].chainId),
    eth_blockNumber: () => number,
    eth_getBlockByNumber: block,
    eth_getBalance: () => numberToHex(HELD.coin),
    eth_getCode: () => '0x',
    eth_call: () => encodeAbiParameters([{ type: 'uint256' }], [HELD.token]),
    eth_getTransactionCount: () => '0x0',
    eth_estimateGas: () => '0xc350',
    eth_maxPriorityFeePerGas: () => '0x1',
    eth_getTransactionReceipt: () => null,
    eth_getTransactionByHash: () => null,
    eth_getLogs: () => [],
    eth_sendRawTransaction: () => `0x${'7'.repeat(64)}`,
  };
  for (const [method, play] of Object.entries(answers)) server.nodes.set(method, play);
}

function quote(query: URLSearchParams): object {
  const asset = query.get('token') ?? '';
  const direction = query.get('direction');
  const { decimals = 18 } = CONFIG.ethereum.tokens.find(({ token }) => token === asset) ?? {};
  const amount = parseUnits(query.get('amount') ?? '', decimals);
  const fee =
    direction === 'ETHEREUM_TO_PARTNER' ? 0n : BigInt(FEES.find(({ token }) => token === asset)?.minimumFee ?? 0);
  return {
    token: asset,
    direction,
    inputAmount: `${amount}`,
    inputAmountFormatted: formatUnits(amount, decimals),
    feeAmount: `${fee}`,
    feeAmountFormatted: formatUnits(fee, decimals),
    feeBps: 0,
    outputAmount: `${amount - fee}`,
    outputAmountFormatted: formatUnits(amount - fee, decimals),
    minimumAmount: '1',
    maximumAmount: `${10n ** 30n}`,
    availableAmount: `${10n ** 30n}`,
    availableAmountFormatted: '1000000000000',
    paused: false,
    deliverable: true,
    undeliverableReason: null,
    deliverableAt: null,
    estimatedSeconds: 114,
    warnings: [],
  };
}

/** A page with a wallet, whose nodes are those of the server. */
export interface Mover {
  readonly page: Page;
  readonly wallet: InjectedWallet;
}

/** Opens the form with a wallet in the browser. */
export async function openForm(
  { watch, origin }: ReturnType<typeof usePage>,
  link: Link = {},
  kind: WalletKind = {},
): Promise<Mover> {
  const { page, context } = await watch();
  const chains = { 31_337: `${origin()}/nodes/ethereum`, 8_901: `${origin()}/nodes/partner` };
  const wallet = await injectWallet(context, 'Own wallet', ME, chains, kind);
  wallet.chainId = 31_337;
  await page.goto(`/?${new URLSearchParams({ ...link }).toString()}`);
  return { page, wallet };
}

/** Connects the wallet, which is the only one. */
export async function connect({ page }: Mover): Promise<void> {
  await page.getByRole('button', { name: WALLET.connect }).first().click();
}

/** Waits until the page shows a sentence. Returns false if it does not. */
export async function hasText(page: Page, sentence: string | RegExp): Promise<boolean> {
  return appears(page.getByText(sentence));
}

/** Waits until the page offers a button. Returns false if it does not. */
export async function hasButton(page: Page, name: string | RegExp): Promise<boolean> {
  return appears(page.getByRole('button', { name }));
}

async function appears(wanted: Locator): Promise<boolean> {
  return wanted
    .first()
    .waitFor({ timeout: PATIENCE_MS })
    .then(
      () => true,
      async () => {
        // What it shows instead.
        process.stderr.write(await wanted.page().locator('main').innerText());
        return false;
      },
    );
}
