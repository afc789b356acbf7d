import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible, expectFitsPhone, heading, OPERATION, refuse, usePage } from './web-page.js';

// The form of check.html, and a check that learns nothing. E2E tests check real transfers.

const { server, origin, open } = usePage();

async function openCheck(id: string = OPERATION.id): Promise<Page> {
  const page = await open();
  await page.goto(`/check.html#${id}`);
  await heading(page, 'Check it yourself');
  return page;
}
const ethereum = (page: Page) => page.getByLabel('Nodes of Ethereum');
const press = async (page: Page) => page.getByRole('button', { name: 'Check', exact: true }).click();

describe('the form', () => {
  it('takes the transfer from the address, and says what is wrong with an entry', async () => {
    const page = await openCheck('0x12');
    expect(await page.getByLabel('Transfer').inputValue()).toBe('0x12');
    await press(page);
    await page.getByText('Enter 0x and 64 hex digits.').waitFor();
    await ethereum(page).fill('');
    await page.getByText('Enter at least one URL.').waitFor();
    await ethereum(page).fill('node.example');
    await page.getByText('node.example is not a URL').waitFor();
    await ethereum(page).fill('https://a.example\nhttps://a.example');
    await page.getByText('https://a.example is there twice.').waitFor();
    await expectAccessible(page);
    await expectFitsPhone(page);
    expect(server.calls).toEqual([]);
  });

  it('keeps the nodes of a reader in this browser, and offers those of the host again', async () => {
    const page = await openCheck();
    await page.getByText('These are nodes that the host of this page chose.').waitFor();
    const own = `${origin()}/nodes/own`;
    await ethereum(page).fill(own);
    await press(page);
    await page.getByRole('heading', { name: 'Field by field' }).waitFor();
    await page.reload();
    expect(await ethereum(page).inputValue()).toBe(own);
    await page.getByRole('button', { name: "Use the host's nodes" }).click();
    expect(await ethereum(page).inputValue()).toBe(`${origin()}/nodes/ethereum`);
  });
});

describe('a check', () => {
  it('without an answer of the nodes accuses nobody, and says why it cannot tell', async () => {
    const page = await openCheck();
    await page.keyboard.press('Tab');
    await page.getByLabel('Transfer').press('Enter');
    await page.getByText('Your nodes show nothing of this transfer.').waitFor();
    await page.getByText('Too few of your nodes answer').waitFor();
    expect(await page.getByText('disagree', { exact: true }).count()).toBe(0);
    await expectAccessible(page);
    await expectFitsPhone(page);
  });

  it('says that the nodes are of another chain, and works without the API', async () => {
    server.nodes.set('eth_chainId', () => '0x5');
    server.reads.set('/bridge/history', () => refuse('SERVICE_UNAVAILABLE', 'Retry shortly.', 503));
    const page = await openCheck();
    await press(page);
    await page.getByText('The API says nothing: 503').waitFor();
    await page.getByText('they are of chain 5 instead of').waitFor();
    expect(server.calls.map(({ path }) => path)).toEqual(['/bridge/history']);
  });
});
