import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { formatAmount, isTerminal, parseAmount, type BridgeOperationResponse } from '@causeway/protocol';
import { bridgeMintAbi } from '@causeway/protocol/abi';
import { startChromium, waitUntil } from '@causeway/test-kit';
import { User } from '@causeway/testbed';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Address, Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { ConsoleMember } from './console-member.js';
import { listPages, PICTURED, writeScreenshots } from './console-screenshots.js';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

// The console in use: Chromium with wallets of real keys, both chains, PostgreSQL, two relayers.

const run = promisify(execFile);
const FLOAT = 60_000;
const TIMELOCK_SECONDS = 5;
const xcn = (amount: string) => parseAmount('XCN', amount);
const formatXcn = (amount: bigint) => `${formatAmount('XCN', amount)} XCN`;
const SIMULATED = 'The values come from a simulation at block';
const stranger = (): Address => privateKeyToAddress(generatePrivateKey()).toLowerCase() as Address;

let environment: TestEnvironment;
let browser: Awaited<ReturnType<typeof startChromium>>;
let alice: User;
let operator: ConsoleMember;

beforeAll(async () => {
  [environment, browser] = await Promise.all([
    temporaryEnvironment({ floatXcn: FLOAT, adminDelaySeconds: TIMELOCK_SECONDS }),
    startChromium(),
  ]);
  environment.startService('relayer', 'relayer-2', {});
  alice = new User(environment, environment.accounts.alice);
  operator = await ConsoleMember.signIn(environment, browser, environment.accounts.firstOperator);
});
afterAll(async () => {
  await browser?.close();
  await environment?.stop();
});

const status = async (hash: Hex): Promise<BridgeOperationResponse['status'] | undefined> =>
  (await alice.status(hash))?.status;
const became = (hash: Hex, wanted: BridgeOperationResponse['status']) =>
  waitUntil(`it is ${wanted}`, async () => (await status(hash)) === wanted, { timeoutMs: 60_000 });

/** Runs the `causeway-admin hash` command on the page of a call, and returns the printed hash. */
async function hashByCommand(shown: string): Promise<string> {
  const main = fileURLToPath(import.meta.resolve('@causeway/admin-cli/main'));
  const [, words] = /admin (hash .*) --book <file>/.exec(shown)!;
  const script = `"$0" "$1" ${words} --book "$2"`;
  const { addressBookFile } = environment.stack;
  const { stdout } = await run('sh', ['-c', script, process.execPath, main, addressBookFile]);
  return /^hash (0x[0-9a-f]{64})$/m.exec(stdout)![1]!;
}

/** Uses the console as another member, and closes it at the end. */
async function as(account: keyof TestEnvironment['accounts'], use: (member: ConsoleMember) => Promise<void>) {
  const member = await ConsoleMember.signIn(environment, browser, environment.accounts[account]);
  await use(member);
  await member.leave();
}

describe('the console', () => {
  it('admits members only', async () => {
    await as('auditor', async (member) => {
      await member.returnAsStranger();
      await member.reads('Sign-in failed.');
      expect(new URL(member.page.url()).pathname).toBe('/sign-in');
    });
  });

  it('finds a deposit made seconds ago, and shows its completion', async () => {
    const originTxHash = await environment.whileBlocksWait(async () => {
      const sent = await alice.deposit('USDC', parseAmount('USDC', '25'), stranger());
      await waitUntil('the relayer has read it', async () => alice.isRead(sent.originTxHash));
      await operator.find(sent.originTxHash);
      await operator.reads('25 USDC');
      expect(isTerminal((await status(sent.originTxHash))!)).toBe(false);
      return sent.originTxHash;
    });
    // The page is not reloaded.
    await operator.isLabelled('Completed');
    expect(await status(originTxHash)).toBe('COMPLETED');
  });

  it('delivers a delayed deposit after a refill of the float, without a request', async () => {
    const { originTxHash } = await alice.deposit('XCN', xcn('995000'), stranger());
    await became(originTxHash, 'DELAYED');
    await operator.find(originTxHash);
    await operator.reads('Float or gas is short');
    const nextAttemptInMs = async () => {
      const shown = operator.page.getByText(/Until/).locator('time').first();
      const at = await shown.getAttribute('datetime', { timeout: 1_000 }).catch(() => null);
      return Date.parse(at ?? '') - Date.now();
    };
    expect(await operator.ask('Retry now')).toContain('Done: ');
    const { bridgeMint: address } = environment.book.partner;
    const float = await environment.partner.client.readContract({ address, abi: bridgeMintAbi, functionName: 'float' });
    await as('treasury', async (treasurer) => {
      await treasurer.open('/fees-and-limits');
      await treasurer.press('Prepare a contract call');
      // Attempts become rarer. The end of the cause must be noticed before the next one.
      await waitUntil('the next attempt is far away', async () => (await nextAttemptInMs()) > 25_000);
      const shown = await treasurer.callContracts('top-up', { chain: 'partner', amount: '960000 XCN' });
      expect(shown).toContain(await hashByCommand(shown));
      expect(shown).toContain(SIMULATED);
      expect(shown.replaceAll(/\s+/g, ' ')).toContain(`${formatXcn(float)} ${formatXcn(float + xcn('960000'))}`);
    });
    await operator.isLabelled('Completed');
  });

  it('refunds an unmatched transfer only after a second member agrees', async () => {
    const { partner, book, accounts } = environment;
    const hash = await partner.getWallet(accounts.bob).sendTransaction({ to: book.relayer, value: xcn('6000') });
    await became(hash, 'FAILED');
    await operator.find(hash);
    await operator.page.getByRole('link', { name: 'Open its refund' }).click();
    await operator.prepare('Approve to the payer');
    await operator.reads(`Refund 6,000 XCN to ${accounts.bob.address} on the partner chain`);
    expect(await operator.confirm()).toContain('another member must approve it');
    await operator.isLabelled('Needs a decision');
    await as('secondOperator', async (second) => second.approveNewest());
    await operator.isLabelled('Paid');
  });

  it('changes a fee through the timelock, which the next quote has', async () => {
    const feeBps = async () => {
      const query = 'token=USDC&amount=1000&direction=PARTNER_TO_ETHEREUM';
      const answer = await fetch(`${environment.stack.apiUrl}/bridge/fee-quote?${query}`);
      return ((await answer.json()) as { feeBps: number }).feeBps;
    };
    const ceiling = { asset: 'USDC', rate: '0.1%', 'min-fee': '1 USDC', 'min-amount': '10 USDC' };
    await as('deployer', async (admin) => {
      const prepare = async () => {
        await admin.open('/fees-and-limits');
        await admin.press('Prepare a contract call');
        return admin.callContracts('set-fee-ceiling', ceiling);
      };
      expect(await prepare()).toContain('Schedules the call in the timelock; nothing changes yet');
      await admin.isLabelled('Ready to execute');
      expect(await feeBps()).toBe(25);
      const executed = await prepare();
      expect(executed).toContain('Executes the scheduled call');
      expect(executed).toContain(SIMULATED);
    });
    await waitUntil('the next quote has the new fee', async () => (await feeBps()) === 10);
  });

  it('halts a chain once although two operators press the button, and resumes it', async () => {
    await as('secondOperator', async (second) => {
      await Promise.all([operator.open('/pauses-and-halts'), second.open('/pauses-and-halts')]);
      await Promise.all([operator, second].map(async (each) => each.prepare('Halt')));
      const outcomes = await Promise.all([operator, second].map(async (each) => each.confirm()));
      expect(outcomes.filter((outcome) => outcome.includes('Done: '))).toHaveLength(1);
    });
    await operator.isLabelled('Halted');
    expect(await operator.ask('Resume')).toContain('Done: ');
    await operator.isNotLabelled('Halted');
  });

  it('shows the takeover by the other relayer after the leader is killed', async () => {
    await operator.open('/relayers');
    const facts = operator.page.getByText('Fencing token').locator('xpath=following-sibling::dd[1]');
    const token = async () => Number(await facts.first().innerText());
    const before = await token();
    await environment.killRelayer();
    await waitUntil('another relayer leads', async () => (await token()) > before, { timeoutMs: 30_000 });
    const { originTxHash } = await alice.deposit('ETH', parseAmount('ETH', '0.5'), stranger());
    await became(originTxHash, 'COMPLETED');
    expect(await status(originTxHash)).toBe('COMPLETED');
  });

  it('pauses a direction as guardian, so that no transfer begins', async () => {
    await as('guardian', async (guardian) => {
      await guardian.open('/pauses-and-halts');
      await guardian.press('Pause or unpause the contracts');
      const shown = await guardian.callContracts('pause', { direction: 'ethereum-to-partner' });
      // One call on each chain.
      expect(shown.split(SIMULATED)).toHaveLength(3);
    });
    await operator.open('/pauses-and-halts');
    await operator.isLabelled('Paused');
    const body = { token: 'ETH', amount: '1', senderAddress: stranger(), recipientAddress: stranger() };
    const answer = await fetch(`${environment.stack.apiUrl}/bridge/transactions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, direction: 'ETHEREUM_TO_PARTNER' }),
    });
    expect(await answer.json()).toMatchObject({ error: 'SERVICE_PAUSED' });
  });

  it('opens every page, and takes screenshots on request', async () => {
    const idOn = async (page: string, name: RegExp = /./) => {
      await operator.open(page);
      const link = operator.page.locator('tr[data-index]').getByRole('link', { name }).first();
      return (await link.getAttribute('href', { timeout: 30_000 }))!.split('/').at(-1) as Hex;
    };
    const pages = listPages({
      operationId: await idOn('/operations?kind=DEPOSIT&asset=USDC'),
      refundId: await idOn('/refunds'),
      requestId: await idOn('/approvals', /^Refund /),
    });
    const asked = process.env['SCREENSHOTS'];
    const folder = asked ?? join(dirname(environment.stack.addressBookFile), 'screenshots');
    const names = asked === undefined ? Object.keys(pages) : PICTURED;
    const shown = Object.fromEntries(names.map((name) => [name, pages[name]!]));
    const themes = asked === undefined ? (['light'] as const) : (['light', 'dark'] as const);
    const written = await writeScreenshots(operator, shown, folder, themes);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(written));
    for (const name of names) expect(written).toContain(`${name}-light.jpg`);
    await operator.leave();
  });
});
