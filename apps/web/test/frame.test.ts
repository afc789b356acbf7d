import { expect, it } from '@jest/globals';
import { COMMON } from '../src/words/common.js';
import { MOVE } from '../src/words/move.js';
import { WALLET } from '../src/words/wallet.js';
import { expectAccessible, expectFitsPhone, heading, usePage } from './web-page.js';

// The built page in Chromium with its real policy, against a played API.

const { server, open } = usePage();

it('shows every wrong setting instead of the page', async () => {
  server.settings = { holdSeconds: -1, apiUrl: 'api' };
  const page = await open();
  await page.goto('/find');
  await heading(page, 'This page is not set up');
  expect(await page.getByRole('listitem').count()).toBe(2);
  await expectAccessible(page);
});

it('opens its pages from the frame by keyboard alone, also on a phone', async () => {
  const page = await open();
  await page.goto('/nowhere');
  await heading(page, 'Page not found');
  await page.keyboard.press('Tab');
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
  for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await heading(page, 'Find a transfer');
  await page.getByRole('button', { name: /^Theme/ }).click();
  await expectAccessible(page);
  await expectFitsPhone(page);
});

it('recovers when a part of it was not loaded', async () => {
  const page = await open();
  await page.goto('/');
  const connect = page.getByRole('button', { name: WALLET.connect }).first();
  await connect.waitFor();
  await page.route('**/assets/wallet-choice*', async (route) => route.abort());
  await connect.click();
  await heading(page, COMMON.failed);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, MOVE.title);
  await connect.click();
  await page.getByText(WALLET.none.title).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
});
