import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { connectBridge, getHistory, type TransferRecord } from '@causeway/sdk';
import type { Address } from 'viem';
import { Random } from '../../chaos/random.js';
import { readPrograms } from '../integration/integrator-programs.js';
import type { TestEnvironment } from '../temporary-environment.js';
import { CommandLine, type Running } from './command-process.js';
import { openPages, type Death, type Pages } from './dying-page.js';
import { chooseFunds, FLOWS, pickRecipient, readBalance, type Flow } from './flows.js';
import { settle } from './kills.js';
import { fundUsers, type TestUser } from './users.js';
import { WindowWallet } from './window-wallet.js';

const run = promisify(execFile);
/** Exit code when the command cannot decide yet whether the payment of an intent was sent. */
const UNDECIDED = 6;
/** Runs of the program until it sees a payment, which the API shows some blocks later. */
const MOST_RUNS = 5;
/** The methods with which the command sends or reads the receipt. */
const LAST_METHODS: ReadonlySet<string> = new Set(['eth_sendRawTransaction', 'eth_getTransactionReceipt']);
/** Files from docs/integrate/sdk.md. */
const PROGRAM = ['wallets.mts', 'records.mts', 'resume.mts'];
const DELIVERED = /^Delivered [\d.]+ [A-Z]+\n$/;

/** When the page and the command are killed. */
interface Plan {
  readonly page: Death;
  /** Before or after the node receives the request. */
  readonly command: 'beforeNode' | 'afterNode';
}

/** A transfer made by three programs. */
interface Handover {
  readonly flow: Flow;
  readonly user: TestUser;
  readonly recipient: Address;
  readonly plan: Plan;
}

/** A page begins each transfer, the command continues it, and a program completes it. Page and command are killed. */
export async function handOver(environment: TestEnvironment, seed: number, count: number): Promise<void> {
  const cli = new CommandLine(environment);
  // Packages are resolved from here, and git ignores the folder.
  const folder = mkdtempSync(fileURLToPath(new URL('../.docs-scripts-', import.meta.url)));
  const pages = await openPages();
  try {
    const random = new Random(seed, 'handovers');
    const pickFlow = random.dealer(FLOWS);
    const flows = Array.from({ length: count }, () => pickFlow());
    const users = await fundUsers(environment, flows.map(chooseFunds));
    await settle(
      users.map(async (user, index) => {
        const flow = flows[index];
        if (flow === undefined) throw new Error(`No flow ${index}`);
        const handover = { flow, user, recipient: pickRecipient(), plan: pickPlan(random, flow) };
        const record = await beginInPage(environment, pages, handover);
        const file = await resumeByCommand(environment, cli, record, handover);
        const output = await completeInProgram(environment, join(folder, record.id), file, handover);
        expect({ handover, output }).toEqual({ handover, output: expect.stringMatching(DELIVERED) });
        await checkOutcome(environment, handover);
      }),
    );
  } finally {
    await pages.close();
    cli.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

function pickPlan(random: Random, { windows }: Flow): Plan {
  return {
    page: { window: random.between(1, windows), when: random.isTrue(0.5) ? 'before' : 'after' },
    command: random.isTrue(0.5) ? 'beforeNode' : 'afterNode',
  };
}

async function beginInPage({ stack }: TestEnvironment, pages: Pages, { flow, user, recipient, plan }: Handover) {
  const { chainId, rpcUrl } = stack[flow.side];
  const wallet = new WindowWallet(user.account, chainId, rpcUrl);
  const terms = { asset: flow.asset, amount: flow.amount, recipient };
  const transfer = { flow, apiUrl: stack.apiUrl, wallet, sender: user.account.address, terms };
  return pages.beginAndDie(transfer, plan.page);
}

/** Continues the record with `causeway resume`, kills it, and returns the file of its record. */
async function resumeByCommand(
  environment: TestEnvironment,
  cli: CommandLine,
  record: TransferRecord,
  { flow, user, plan }: Handover,
): Promise<string> {
  let running: Running | undefined;
  const url = await environment.proxyBefore(flow.side, {
    [plan.command]: async (methods: readonly string[]) => {
      if (!methods.some((method) => LAST_METHODS.has(method))) return true;
      running?.child.kill('SIGKILL');
      return false;
    },
  });
  const exported = join(cli.folder, `exported-${record.id}.json`);
  writeFileSync(exported, JSON.stringify(record));
  const records = join(cli.folder, record.id);
  const words = ['resume', exported, '--records', records, '--confirm', '--yes', '--json'];
  running = cli.start(words, {
    CAUSEWAY_PRIVATE_KEY: user.privateKey,
    [flow.side === 'ethereum' ? 'CAUSEWAY_ETHEREUM_RPC' : 'CAUSEWAY_PARTNER_RPC']: url,
  });
  const { code, stderr } = await running.ended;
  if (code !== null && code !== UNDECIDED) throw new Error(`causeway resume ended with ${code}: ${stderr}`);
  return join(records, `${record.id}.json`);
}

/** Runs resume.mts of docs/integrate/sdk.md with the command's record until the transfer is decided. */
async function completeInProgram(
  { stack }: TestEnvironment,
  folder: string,
  file: string,
  { user }: Handover,
): Promise<string> {
  const programs = readPrograms();
  mkdirSync(join(folder, 'transfers'), { recursive: true });
  for (const name of PROGRAM) writeFileSync(join(folder, name), programs.get(name) ?? '');
  copyFileSync(file, join(folder, 'transfers', basename(file, '.json')));
  const variables = {
    API: stack.apiUrl,
    ETHEREUM_RPC: stack.ethereum.rpcUrl,
    PARTNER_RPC: stack.partner.rpcUrl,
    PRIVATE_KEY: user.privateKey,
  };
  const options = { cwd: folder, env: { ...process.env, ...variables } };
  let output = '';
  for (let runs = 0; runs < MOST_RUNS && !DELIVERED.test(output); runs += 1)
    output = (await run(process.execPath, ['resume.mts'], options)).stdout;
  return output;
}

/** Expects one transaction, one transfer, and one delivery to the unit. */
async function checkOutcome(environment: TestEnvironment, { plan, flow, user, recipient }: Handover): Promise<void> {
  const bridge = connectBridge({ apiUrl: environment.stack.apiUrl });
  const { address } = user.account;
  const transactions = await environment[flow.side].client.getTransactionCount({ address });
  const { operations } = await getHistory(bridge, { address, role: 'sender' });
  const delivered = await readBalance(
    environment,
    flow.side === 'ethereum' ? 'partner' : 'ethereum',
    flow.asset,
    recipient,
  );
  expect({ plan, transactions, operations }).toMatchObject({
    plan,
    transactions: 1,
    operations: [{ status: 'COMPLETED', outputAmount: `${delivered}` }],
  });
}
