import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { getToken } from '@causeway/protocol';
import { parseEther, type PrivateKeyAccount } from 'viem';
import { Random } from '../../chaos/random.js';
import { pickRecipient } from '../sdk/flows.js';
import { fundUsers } from '../sdk/users.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { listWrongAsks, type RightTerms } from './asks.js';
import { inTurns } from './journeys.js';
import { LIES, startLyingApi, type Lie } from './lying-api.js';
import { Visitor, type Browser, type Wish } from './visitor.js';

const USDC = 10n ** 6n;
const TOGETHER = 3;
/** How long a person tries. */
const LONGEST_MS = 45_000;
/** How long a lie may take to be told. */
const LONGEST_UNTOLD_MS = 120_000;
/** How long a page must say that it stopped. */
const STOPPED_MS = 2_000;
const STOPPED = /Resolve the findings first|Stopped|Unknown whether sent/;
const LOOK_MS = 100;
/** Text that only a lie contains, unless it is named as wrong. */
const LIE = /987[,.]?654(?!,? and [\d.]+ is right)/;

/** A transfer, with the highest right fee and the button that begins it. */
interface Attempt extends Omit<Wish, 'recipient'> {
  readonly units: bigint;
  readonly fee: bigint;
  readonly button: RegExp;
}

/** The transfer that each lie is about. */
const ATTEMPTS: Readonly<Record<Lie['about'], Attempt>> = {
  deposit: { asset: 'USDC', to: 'partner', amount: '25', units: 25n * USDC, fee: 0n, button: /^(Deposit|Sign the) / },
  burn: { asset: 'USDC', to: 'ethereum', amount: '50', units: 50n * USDC, fee: 5n * USDC, button: /^Withdraw / },
  // The form offers "Withdraw" until the way by an intent is chosen.
  intent: {
    asset: 'XCN',
    to: 'ethereum',
    amount: '6000',
    units: parseEther('6000'),
    fee: parseEther('1000'),
    button: /^Sign the /,
  },
};

/** Lets the API lie, while a person tries to move funds. Whatever the wallet is asked for is exactly the transfer. */
export async function resistLies(
  environment: TestEnvironment,
  browser: Browser,
  seed: number,
  count: number,
): Promise<void> {
  const pickLie = new Random(seed, 'lies').dealer(LIES);
  const lies = Array.from({ length: count }, () => pickLie());
  // A person each: the API refuses a second open intent of the same amount.
  const funds = {
    ethereum: { ETH: parseEther('1'), USDC: 100n * USDC },
    partner: { XCN: parseEther('7000'), USDC: 100n * USDC },
  };
  const users = await fundUsers(
    environment,
    lies.map(() => funds),
  );
  const honest = { name: 'no lie', about: 'deposit', path: 'config', tell: () => undefined } as const;
  // Without a lie the wallet is asked, so the attempt itself works.
  expect(await beFooled(environment, browser, users[0]!.account, honest)).toMatchObject({ wrong: [], isAsked: true });
  await inTurns(lies, TOGETHER, async (lie, index) => {
    const outcome = await beFooled(environment, browser, users[index]!.account, lie);
    expect([lie.name, outcome]).toEqual([lie.name, { ...outcome, isTold: true, wrong: [], isShown: false }]);
  });
}

async function beFooled(environment: TestEnvironment, browser: Browser, account: PrivateKeyAccount, lie: Lie) {
  const { book, stack } = environment;
  const { units, fee, button: begin, ...wish } = ATTEMPTS[lie.about];
  const side = wish.to === 'partner' ? 'ethereum' : 'partner';
  const recipient = pickRecipient();
  const right: RightTerms = {
    chainId: stack[side].chainId,
    contract: side === 'ethereum' ? book.ethereum.bridgeLock : book.partner.bridgeMint,
    token: getToken(book, side, wish.asset),
    amount: units,
    recipient,
    fee,
    relayer: book.relayer,
  };
  const api = await startLyingApi(stack.webUrl ?? '', lie);
  const visitor = await Visitor.arrive(environment, browser, account, { origin: api.origin });
  const { wallet, page } = visitor;
  try {
    wallet.unknownChains.add(stack.partner.chainId);
    wallet.mood = 'stall';
    void visitor.wish({ ...wish, recipient }, lie.about === 'intent').catch(() => undefined);
    let isShown = false;
    let stoppedAt = Number.POSITIVE_INFINITY;
    // A busy machine can take a minute to reach the step that the lie is about.
    let until = Date.now() + LONGEST_UNTOLD_MS;
    while (Date.now() < until && wallet.transactions.length === 0) {
      if (api.told() > 0) until = Math.min(until, Date.now() + LONGEST_MS);
      const button = page.locator('button[type=submit]:not([disabled])', { hasText: begin });
      if (await button.isVisible().catch(() => false)) await button.click({ timeout: 500 }).catch(() => undefined);
      for (const window of wallet.windows.slice()) if (window.method !== 'eth_sendTransaction') await window.approve();
      const text = await page
        .locator('main')
        .innerText()
        .catch(() => '');
      isShown ||= LIE.test(text);
      stoppedAt = api.told() > 0 && STOPPED.test(text) ? Math.min(stoppedAt, Date.now()) : Number.POSITIVE_INFINITY;
      if (Date.now() - stoppedAt > STOPPED_MS) break;
      await sleep(LOOK_MS);
    }
    const { rpcUrl } = stack.partner;
    const wrong = [...listWrongAsks(wallet, right), ...wallet.addedNodes.filter((node) => node !== rpcUrl)];
    return { isTold: api.told() > 0, isAsked: wallet.transactions.length > 0, isShown, wrong };
  } finally {
    await visitor.leave();
    await api.close();
  }
}
