import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PREDEPLOYS } from '@causeway/partner-chain';
import { startAnvil, startGateway, startPostgres, testAccount, waitUntil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createPublicClient, createWalletClient, defineChain, http, parseEther, type Address } from 'viem';
import { freePort } from '../temporary-environment.js';

// Runs the commands of docs/operate/setup.md in order, in an empty folder, on two chains with the testnets' ids and one
// funded account.

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PAGE = readFileSync(join(ROOT, 'docs/operate/setup.md'), 'utf8');
/** The ports of the page, which other tests on this machine can use. */
const PORTS = ['3000', '3002', '9101', '9102'];
const RICH = testAccount(0);

interface Block {
  readonly heading: string;
  readonly script: string;
}

/** The page's commands, each with its heading. */
function readBlocks(): readonly Block[] {
  const blocks: Block[] = [];
  let heading = 'At any time';
  for (const [, title, script] of PAGE.matchAll(/^## (.+)$|```sh\n([\s\S]*?)```/gm)) {
    if (title !== undefined) heading = title;
    else if (script !== undefined) blocks.push({ heading, script });
  }
  return blocks;
}

/** The shell functions that the page defines. */
const FUNCTIONS = PAGE.split('\n').filter((line) => /^[a-z-]+\(\) \{/.test(line));

const folder = mkdtempSync(join(tmpdir(), 'causeway-testnet-page-'));
const home = join(folder, 'testnet');
const stops: (() => Promise<unknown>)[] = [];
const seconds = new Map<string, number>();
let env: NodeJS.ProcessEnv;
let fund: (chain: 'ethereum' | 'partner', to: Address, amount: string) => Promise<void>;

beforeAll(async () => {
  const genesis = join(folder, 'genesis.json');
  const alloc = { ...PREDEPLOYS, [RICH.address]: { balance: parseEther('1000000').toString() } };
  writeFileSync(genesis, JSON.stringify({ alloc }));
  const { key, entry } = await makeGatewayKey();
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify([{ ...entry, unlimited: true }]));
  const settings = {
    CHAIN_ID: '8901',
    GENESIS: genesis,
    DATA_DIRECTORY: join(folder, 'partner'),
    API_KEYS_FILE: keys,
    // The limits of a public gateway, which the services' requests exceed.
    RATE_LIMIT_PER_SECOND: '50',
    RATE_LIMIT_PER_MINUTE: '1000',
  };
  const [ethereum, partner, database] = await Promise.all([
    startAnvil({ chainId: 11_155_111, args: ['--block-time', '1'] }),
    startGateway({ ...settings, BLOCK_INTERVAL_MS: '500' }),
    startPostgres(),
  ]);
  stops.push(ethereum.stop, partner.stop, database.stop);
  const twice = (url: string) => `${url},${url.replace('127.0.0.1', 'localhost')}`;
  const partnerUrl = partner.httpUrl.replace(/\/$/, '');
  const keyed = partnerUrl.replace('http://', `http://bridge:${key}@`);
  env = {
    PATH: `${process.execPath.replace(/\/[^/]+$/, '')}:${process.env['PATH']}`,
    HOME: folder,
    CAUSEWAY: ROOT.replace(/\/$/, ''),
    DATABASE: `${database.url}/postgres`,
    ETHEREUM: ethereum.url,
    PARTNER: partnerUrl,
    ETHEREUM_RPC_URLS: twice(ethereum.url),
    PARTNER_RPC_URLS: twice(keyed),
    MIRROR_URL: keyed,
  };
  fund = async (side, to, amount) => {
    const [id, url] = side === 'ethereum' ? [11_155_111, ethereum.url] : [8_901, partner.httpUrl];
    const nativeCurrency = { name: 'coin', symbol: 'COIN', decimals: 18 };
    const chain = defineChain({ id, name: side, nativeCurrency, rpcUrls: { default: { http: [url] } } });
    const wallet = createWalletClient({ chain, transport: http(), account: RICH });
    const client = createPublicClient({ chain, transport: http(), pollingInterval: 100 });
    await client.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, value: parseEther(amount) }) });
  };
  await promisify(execFile)('mkdir', [home]);
});

/** Makes a gateway key and its list entry, like the operator of the gateway. */
async function makeGatewayKey(): Promise<{ readonly key: string; readonly entry: object }> {
  const gateway = join(ROOT, 'apps/gateway/dist/bundle/main.js');
  const { stdout } = await promisify(execFile)(process.execPath, [gateway, 'key', 'bridge']);
  return JSON.parse(stdout) as { readonly key: string; readonly entry: object };
}

afterAll(async () => {
  for (const file of readdirSync(home).filter((name) => name.endsWith('.pid'))) {
    const pid = Number(readFileSync(join(home, file), 'utf8'));
    process.kill(pid, 'SIGTERM');
    await waitUntil(`${file} ends`, async () => !isRunning(pid));
  }
  await Promise.all(stops.map(async (stop) => stop()));
  rmSync(folder, { recursive: true, force: true });
  const lines = [...seconds].map(([heading, each]) => `${heading}: ${each.toFixed(0)} s`);
  process.stderr.write(`docs/operate/setup.md\n${lines.join('\n')}\n`);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Funds the accounts of the page's table. */
async function sendCoin(): Promise<void> {
  const accounts = new Map(
    readFileSync(join(home, 'accounts'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => line.split(' ') as [string, Address]),
  );
  const rows = [...PAGE.matchAll(/^\| ([a-z, ]+?) +\| ([\d.,]+) ETH +\| ([\d.,]+) XCN +\|$/gm)];
  expect(rows.length).toBeGreaterThan(3);
  for (const [, names = '', ether = '', xcn = ''] of rows) {
    for (const name of names.replace(', each', '').split(', ')) {
      const address = accounts.get(name.replace(' ', '-'));
      if (address === undefined) throw new Error(`The page funds ${name}, but no command creates it`);
      await fund('ethereum', address, ether.replaceAll(',', ''));
      await fund('partner', address, xcn.replaceAll(',', ''));
    }
  }
}

/** The lines of a walk that report a problem. */
function problems(walk: string): readonly string[] {
  return walk.split('\n').filter((line) => /^(error|not yet) /.test(line));
}

/** The last lines of the services' logs, for a failed command. */
function readLogs(): readonly string[] {
  const logs = readdirSync(home).filter((name) => name.endsWith('.log'));
  return logs.map((name) => `${name}: ${readFileSync(join(home, name), 'utf8').slice(-1_500)}`);
}

describe('docs/operate/setup.md', () => {
  const ports = new Map<string, string>();
  beforeAll(async () => {
    for (const port of PORTS) ports.set(port, `${await freePort()}`);
  });

  const printed: string[] = [];
  it.each(readBlocks())('$heading: $script', async ({ heading, script }) => {
    const free = script.replaceAll(/\b(3000|3002|9101|9102)\b/g, (port) => ports.get(port) ?? port);
    const startedAt = performance.now();
    const text = ['set -euo pipefail', ...FUNCTIONS, free].join('\n');
    const run = promisify(execFile)('bash', ['-c', text], { cwd: home, env, timeout: 240_000 });
    const { stdout, problem } = await run.then(
      (done) => ({ ...done, problem: '' }),
      (error: { stdout: string; stderr: string }) => ({ ...error, problem: [error.stderr, ...readLogs()].join('\n') }),
    );
    expect({ stdout, problem }).toEqual({ stdout, problem: '' });
    printed.push(stdout);
    seconds.set(heading, (seconds.get(heading) ?? 0) + (performance.now() - startedAt) / 1_000);
    if (heading === 'Accounts') await sendCoin();
  });

  it('ends with a delivered transfer after a walk without errors', () => {
    expect(printed.at(-1)).toMatch(/Delivery .* 0x[0-9a-f]{64}/);
    const walk = printed.find((text) => text.includes('api is ready')) ?? '';
    expect(problems(walk)).toEqual([expect.stringMatching(/^not yet {2}transfer +none has arrived/)]);
  });

  it('is complete according to doctor', async () => {
    const words = ['doctor', 'testnet', '--ethereum-rpc', env['ETHEREUM'], '--partner-rpc', env['MIRROR_URL']];
    const health = ['relayer=9101', 'api=9102'].flatMap((each) => {
      const [name, port = ''] = each.split('=');
      return ['--health', `${name}=http://127.0.0.1:${ports.get(port)}`];
    });
    const main = join(ROOT, 'packages/admin-cli/dist/bundle/main.js');
    const all = [main, ...words, '--relayer-report', 'relayer.json', ...health].map(String);
    const variables = { ...env, DATABASE_URL_FILE: 'passwords/database-url-owner' };
    const { stdout } = await promisify(execFile)(process.execPath, all, { cwd: home, env: variables }).catch(
      (failed: { stdout: string }) => failed,
    );
    expect(problems(stdout)).toEqual([]);
    expect(stdout).toMatch(/\nok +transfer +transfers have arrived\n/);
  });
});
