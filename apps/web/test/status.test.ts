import { expect, it } from '@jest/globals';
import { CLOSED_WORDS } from '../src/words/status.js';
import { expectAccessible, expectFitsPhone, heading, refuse, usePage } from './web-page.js';

const { server, open } = usePage();

const UNTIL = '2027-01-15T08:00:00.000Z';
const part = (connected: boolean) => ({ connected, problem: connected ? null : 'It answers too slowly.' });
const block = { number: 1_234_567, time: UNTIL, ageSeconds: 70 };
const limit = { capacity: '5000', capacityFormatted: '5000', remaining: '1234', remainingFormatted: '1234.5' };
const direction = (over: object) => ({
  asset: 'USDC',
  direction: 'ETHEREUM_TO_PARTNER',
  open: true,
  reason: null,
  until: null,
  limit,
  ...over,
});
const amounts = { locked: '2', lockedFormatted: '2000', supply: '1', supplyFormatted: '1000' };

/** A bridge in which every kind of trouble happens at once. */
const UNWELL = {
  chains: {
    ethereum: { chainId: 1, ...part(true), newestBlock: block },
    partner: { chainId: 2, ...part(false), newestBlock: null },
  },
  relayer: part(false),
  attesters: { ethereum: { members: 5, needed: 3 }, partner: { members: 0, needed: 0 } },
  directions: [
    direction({}),
    ...Object.keys(CLOSED_WORDS).map((reason) =>
      direction({ asset: reason, open: false, reason, until: UNTIL, limit: null }),
    ),
  ],
  assets: [
    { asset: 'USDC', ...amounts, float: null, floatFormatted: null, isCovered: true },
    { asset: 'XCN', ...amounts, float: '7', floatFormatted: '7000', isCovered: false },
    {
      asset: 'ETH',
      locked: null,
      lockedFormatted: null,
      supply: null,
      supplyFormatted: null,
      float: null,
      floatFormatted: null,
      isCovered: null,
    },
  ],
  announcements: [
    {
      side: 'ethereum',
      title: 'BridgeLock.setTreasury',
      what: `newTreasury 0x${'ab'.repeat(20)}`,
      executableAt: UNTIL,
    },
  ],
};
/** Not checked by the schema, which knows no asset with the name of a reason. */
const play = (state: object) => () => ({ body: { time: UNTIL, ...state } });

it('shows each part, with the age of the newest blocks counting up', async () => {
  const page = await open();
  server.reads.set('/bridge/state', play(UNWELL));
  await page.goto('/status');
  await heading(page, 'Is the bridge well?');
  await page.getByText('2 parts do not work, 1 asset is not covered, 8 directions are closed').waitFor();
  const parts = page.getByRole('region', { name: 'Parts' });
  await parts.getByText(/^Block 1,234,567, 1 min 1\d s old$/).waitFor();
  const age = async () => parts.getByText(/^Block/).textContent();
  const first = await age();
  while ((await age()) === first) await page.waitForTimeout(100);
  expect(await parts.getByText('It answers too slowly.').count()).toBe(2);
  await parts.getByText('3 of 5 must sign each delivery').waitFor();
  const directions = page.getByRole('region', { name: 'Directions' });
  for (const words of Object.values(CLOSED_WORDS)) await directions.getByText(words).waitFor();
  await directions.getByText('1,234.5 of 5,000 USDC').waitFor();
  const reserves = page.getByRole('region', { name: 'Locked against supply' });
  expect(await reserves.getByText('Not covered').count()).toBe(1);
  const check = page.getByRole('region', { name: 'Check the reserves' });
  expect(server.calls.map(({ path }) => path)).not.toContain('/bridge/reserves');
  await check.getByRole('button').click();
  // The nodes of this test answer nothing.
  await check.getByText(/^Too few nodes of partner agree on its head/).waitFor();
  await page.getByText(`newTreasury 0x${'ab'.repeat(20)}`).waitFor();
  await expectAccessible(page);
  await expectFitsPhone(page);
});

it('says when no state is known, keeps the last known one while the API is away, and recovers', async () => {
  const away = () => refuse('SERVICE_UNAVAILABLE', 'Retry shortly.', 503);
  const well = 'Every part works, and every direction is open.';
  server.reads.set('/bridge/state', away);
  const page = await open();
  await page.clock.install();
  /** Lets the page's clock run until a text is shown. */
  const skipTo = async (text: string | RegExp) => {
    while (!(await page.getByText(text).isVisible())) await page.clock.runFor(1_000);
  };
  await page.goto('/status');
  await skipTo('The data could not be read.');
  server.reads.delete('/bridge/state');
  await page.getByRole('button', { name: 'Try again' }).click();
  await skipTo(well);
  server.reads.set('/bridge/state', away);
  await skipTo(/^This is the last known state, of /);
  const directions = page.getByRole('region', { name: 'Directions' });
  expect(await directions.getByText('Open', { exact: true }).count()).toBe(6);
  server.reads.delete('/bridge/state');
  await skipTo(well);
});
