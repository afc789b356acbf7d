import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseEther } from 'viem';
import { FLOWS, pickRecipient } from '../sdk/flows.js';
import { fundUsers } from '../sdk/users.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { toWish } from './journeys.js';
import { Visitor, type Browser } from './visitor.js';

const LOOKS = {
  light: { viewport: { width: 600, height: 776 }, colorScheme: 'light' },
  dark: { viewport: { width: 600, height: 776 }, colorScheme: 'dark' },
  phone: { viewport: { width: 375, height: 812 }, colorScheme: 'dark' },
} as const;

/** Writes pictures of a withdrawal from the form to its end, and of every view, in light, dark and on a phone. */
export async function writeScreenshots(environment: TestEnvironment, browser: Browser, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const flow = { ...FLOWS.find(({ name }) => name === 'a burn of USDC')!, amount: '2400' };
  const funds = { ethereum: {}, partner: { XCN: parseEther('50'), USDC: 3_000n * 10n ** 6n } };
  const [user] = await fundUsers(environment, [funds]);
  const visitor = await Visitor.arrive(environment, browser, user!.account);
  const { page, wallet } = visitor;
  const take = async (name: string) => {
    for (const [look, { viewport, colorScheme }] of Object.entries(LOOKS)) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.screenshot({ path: join(folder, `${name}${look === 'light' ? '' : `-${look}`}.png`) });
    }
  };
  await visitor.wish(toWish(flow, pickRecipient()));
  await visitor.reads('Arrives');
  await take('move');
  wallet.mood = 'stall';
  await visitor.begin();
  await visitor.isAsked();
  await visitor.reads('In the wallet');
  await page.getByRole('heading', { name: 'Transfers of this browser' }).scrollIntoViewIfNeeded();
  await take('asked');
  await wallet.windows[0]!.approve();
  await page.getByRole('link', { name: 'Details of the transfer' }).first().click();
  await visitor.reads('Timeline');
  await take('transfer-waiting');
  await visitor.isCompleted();
  await take('transfer');
  const id = page.url().split('/').at(-1)!;
  for (const [name, path, text] of [
    ['find', '/find', 'Latest transfers'],
    ['history', `/history/${user!.account.address}`, 'Completed'],
    ['status', '/status', 'Relayer'],
    ['check', `/check.html#${id}`, /Check/],
  ] as const) {
    await page.goto(path);
    await visitor.reads(text);
    if (name === 'check') {
      await visitor.press('Check');
      await visitor.reads(/agree/i);
    }
    // Lists fade in.
    await page.waitForTimeout(1_000);
    await take(name);
  }
  await visitor.leave();
}
