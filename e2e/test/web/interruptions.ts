import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from '@jest/globals';
import { Random } from '../../chaos/random.js';
import { chooseFunds, pickRecipient, type Flow } from '../sdk/flows.js';
import { fundUsers, type TestUser } from '../sdk/users.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { expectOneTransfer, inTurns, JOURNEYS, toWish } from './journeys.js';
import { Visitor, type Browser } from './visitor.js';

const TOGETHER = 3;
const LOOK_MS = 200;
const LONGEST_MS = 60_000;

/** How a transfer is interrupted, and how its person goes on. */
interface Plan {
  readonly flow: Flow;
  /** Number of the wallet's window, from 1. */
  readonly window: number;
  /** While the window is open, or after its answer, which the page may miss. */
  readonly when: 'asked' | 'answered';
  /** `link` and `file` move the record to another browser, and the first one is closed without warning. */
  readonly incident: 'reload' | 'tab' | 'link' | 'file';
  /** The answer to a window that was open at the incident, before or after the page is back. */
  readonly answer: 'approve-before' | 'approve-after' | 'refuse';
}

/** Interrupts transfers of seeded plans. Each is made once, and completed to the unit. Replay: TEST_SEED. */
export async function interruptTransfers(
  environment: TestEnvironment,
  browser: Browser,
  seed: number,
  count: number,
): Promise<void> {
  const random = new Random(seed, 'web');
  const pickFlow = random.dealer(JOURNEYS);
  const pickIncident = random.dealer(['reload', 'link', 'tab', 'file'] as const);
  const plans = Array.from({ length: count }, () => pickPlan(random, pickFlow(), pickIncident()));
  const users = await fundUsers(
    environment,
    plans.map(({ flow }) => chooseFunds(flow)),
  );
  await inTurns(plans, TOGETHER, async (plan, index) => interrupt(environment, browser, users[index]!, plan));
}

/** Plants a page that opens a second window when it is loaded again: the check of each transfer finds it. */
export async function findPlantedBug(environment: TestEnvironment, browser: Browser): Promise<void> {
  const flow = { ...JOURNEYS[0]!, amount: '0.2' };
  const plan: Plan = { flow, window: 1, when: 'answered', incident: 'reload', answer: 'approve-before' };
  const [user] = await fundUsers(environment, [chooseFunds(flow)]);
  await expect(interrupt(environment, browser, user!, plan, { isPlanted: true })).rejects.toThrow('COMPLETED');
}

function pickPlan(random: Random, flow: Flow, incident: Plan['incident']): Plan {
  return {
    flow,
    window: random.between(1, flow.windows),
    when: random.isTrue(0.5) ? 'asked' : 'answered',
    incident,
    answer: random.pick(['approve-before', 'approve-after', 'refuse'] as const),
  };
}

async function interrupt(
  environment: TestEnvironment,
  browser: Browser,
  { account }: TestUser,
  plan: Plan,
  { isPlanted = false } = {},
): Promise<void> {
  const { flow, window, when, incident, answer } = plan;
  const recipient = pickRecipient();
  const visitor = await Visitor.arrive(environment, browser, account);
  const { wallet } = visitor;
  try {
    await visitor.wish(toWish(flow, recipient), flow.name.includes('intent'));
    wallet.mood = 'stall';
    await visitor.begin();
    for (let next = 1; next < window; next += 1) {
      await visitor.isAsked();
      await wallet.windows[0]!.approve();
    }
    await visitor.isAsked();
    const exported = incident === 'link' || incident === 'file' ? await exportRecord(visitor, incident) : '';
    if (when === 'answered') await wallet.windows[0]!.approve();
    const [open] = wallet.windows;
    await goThrough(visitor, incident, exported);
    wallet.mood = 'sign';
    if (isPlanted) await visitor.page.evaluate(repeatTransaction(JSON.stringify(wallet.transactions.at(-1), toHex)));
    if (answer === 'approve-before') await open?.approve();
    if (answer === 'refuse') open?.refuse();
    const later = answer === 'approve-after' ? sleep(1_500).then(async () => open?.approve()) : undefined;
    await goOn(visitor);
    await later;
    await visitor.leave();
  } catch (error) {
    const shown = await visitor.page
      .locator('body')
      .innerText()
      .catch(() => '');
    throw new Error(`${JSON.stringify({ ...plan, flow: flow.name })}: ${String(error)}\n${shown}`, { cause: error });
  }
  const { address } = account;
  // The same authorization can be sent twice; the second one reverts.
  const most = flow.asset === 'USDC' && flow.side === 'ethereum' ? 2 : 1;
  const nonce = await environment[flow.side].client.getTransactionCount({ address });
  await expectOneTransfer(environment, flow, address, recipient);
  expect({ ...plan, flow: flow.name, isOnce: nonce >= 1 && nonce <= most }).toMatchObject({ isOnce: true });
}

/** Writes the record as a person does before moving to another device. Returns the link, or the file's path. */
async function exportRecord({ page }: Visitor, incident: 'link' | 'file'): Promise<string> {
  if (incident === 'link') {
    await page.getByRole('button', { name: 'Copy link for another device' }).first().click();
    await page.getByRole('button', { name: 'Link copied' }).first().waitFor();
    return page.evaluate('navigator.clipboard.readText()');
  }
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as file' }).first().click(),
  ]);
  return download.path();
}

async function goThrough(visitor: Visitor, incident: Plan['incident'], exported: string): Promise<void> {
  if (incident === 'reload') {
    await visitor.page.reload();
    return;
  }
  if (incident === 'tab') {
    await visitor.reopenTab();
    await visitor.page.goto('/');
    return;
  }
  // The browser deletes its downloads when it closes.
  const buffer = incident === 'file' ? readFileSync(exported) : Buffer.of();
  await visitor.moveToAnotherBrowser();
  if (incident === 'link') await visitor.page.goto(exported);
  else {
    await visitor.page.goto('/');
    const file = { name: 'record.json', mimeType: 'application/json', buffer };
    const [chooser] = await Promise.all([visitor.page.waitForEvent('filechooser'), visitor.press('Open a record')]);
    await chooser.setFiles(file);
  }
  await visitor.reads('This record comes from a file or a link');
  expect(visitor.wallet.calls.at(-1)).not.toBe('eth_requestAccounts');
  await visitor.press('I began this transfer: continue it');
}

/** Does what the page asks for, as a person who knows what the wallet did, until the transfer is completed. */
async function goOn(visitor: Visitor): Promise<void> {
  const { page, wallet } = visitor;
  const offers = ['Own wallet', /^Switch to .* and continue$/, /^Send$/, /^Continue$/];
  const startedAt = Date.now();
  for (let waited = 0; waited < LONGEST_MS; waited = Date.now() - startedAt) {
    if (await page.getByText('Completed', { exact: true }).first().isVisible()) return;
    // A page that knows the wallet connects it without a click.
    if (waited > 3_000 && (await visitor.pressIfOffered('Connect a wallet')))
      await visitor.pressIfOffered('Own wallet');
    for (const offer of offers) await visitor.pressIfOffered(offer);
    await visitor.pressIfOffered(wallet.sent > 0 ? 'Look again' : 'The wallet did not send it: send again');
    await sleep(LOOK_MS);
  }
  throw new Error(`It was not completed: the wallet was asked ${wallet.transactions.length} times`);
}

/** Runs in the page: asks the wallet for a transaction again, like a page that forgot its first request. */
const repeatTransaction = (transaction: string) => `
  addEventListener('eip6963:announceProvider', ({ detail: { provider } }) => {
    void provider.request({ method: 'eth_sendTransaction', params: [${transaction}] });
  }, { once: true });
  dispatchEvent(new Event('eip6963:requestProvider'));
`;

const toHex = (_: string, value: unknown) => (typeof value === 'bigint' ? `0x${value.toString(16)}` : value);
