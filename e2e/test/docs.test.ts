import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseAmount, type HistoryResponse, type UnsignedCall } from '@causeway/protocol';
import { installCast, waitUntil } from '@causeway/test-kit';
import { PARTNER_STACK_OPTIONS } from '@causeway/testbed';
import { Client } from 'pg';
import type { Hex } from 'viem';
import { describePrograms } from './integration/integrator-programs.js';
import { describeTenMinutes } from './integration/ten-minutes.js';
import { freePort, temporaryEnvironment, type TestEnvironment } from './temporary-environment.js';

// Runs the pages' examples like a reader, on a new stack like that of `npx @causeway/stack`.

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const MODULES = fileURLToPath(new URL('../node_modules/', import.meta.url));
/** Relative to the folder of the scripts. */
const STACK_FILE = '.causeway/stack.json';

let environment: TestEnvironment;
let folder: string;

beforeAll(async () => {
  environment = await temporaryEnvironment(PARTNER_STACK_OPTIONS);
  // `viem` is resolved from here, and git ignores the folder.
  folder = mkdtempSync(join(MODULES, '.docs-'));
  mkdirSync(join(folder, '.causeway'));
  writeFileSync(join(folder, STACK_FILE), JSON.stringify(environment.stack));
  symlinkSync(process.execPath, join(folder, 'node'));
  symlinkSync(installCast(), join(folder, 'cast'));
});
afterAll(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  await environment?.stop();
});

/** The code blocks of a language on a page. */
function readCodeBlocks(page: string, language: 'js' | 'json' | 'sh' | 'sql'): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  const blocks = text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'));
  return [...blocks].map(([, block = '']) => block);
}

/** The one script on a page that contains a phrase. */
function findScript(page: string, language: 'js' | 'sh', phrase: string): string {
  const [script, ...others] = readCodeBlocks(page, language).filter((block) => block.includes(phrase));
  expect(others).toEqual([]);
  return script ?? '';
}

function readCommands(page: string): string[] {
  return readCodeBlocks(page, 'sh').flatMap((block) => block.trim().split(/\n */));
}

async function readHistory(query: string): Promise<HistoryResponse> {
  const response = await fetch(`${environment.stack.apiUrl}/bridge/history?${query}`);
  return (await response.json()) as HistoryResponse;
}

async function runScript(name: string, script: string): Promise<string> {
  writeFileSync(join(folder, name), script);
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}` };
  const command = name.endsWith('.sh') ? 'sh' : process.execPath;
  const { stdout } = await run(command, [name], { cwd: folder, env, timeout: 120_000 });
  return stdout;
}

// First: the pages for partners begin with an empty bridge.
it('begins without a transfer', async () => {
  expect(await readHistory(`address=${environment.accounts.alice.address}`)).toMatchObject({ operations: [] });
});

describeTenMinutes(() => environment);
describePrograms(() => environment);

describe.each(['integrate/rest.md', 'integrate/stack.md', 'chain/json-rpc.md'])('docs/%s', (page) => {
  /** Transaction of a deposit that has ended. */
  let firstDeposit: string;
  beforeAll(async () => {
    await waitUntil('a first deposit has ended', async () => {
      const { operations } = await readHistory(`address=${environment.accounts.alice.address}&status=COMPLETED`);
      firstDeposit = operations[0]?.originTxHash ?? '';
      return firstDeposit !== '';
    });
  });

  it.each(readCommands(page))('%s answers with JSON', async (command) => {
    const { apiUrl, faucetUrl, partner } = environment.stack;
    const env = { ...process.env, API: apiUrl, FAUCET: faucetUrl, RPC: partner.rpcUrl, DEPOSIT: firstDeposit };
    const { stdout } = await run('sh', ['-c', command], { env, cwd: ROOT });
    const answer: unknown = JSON.parse(stdout);
    expect(answer).toEqual(expect.any(Object));
    // With -f the page promises success; without it, the command shows a refusal.
    if (command.includes('-fsS')) expect(answer).not.toHaveProperty('error');
  });
});

describe('docs/errors.md', () => {
  /** The codes that a plain request reaches. Those of `$CONTROL` are in the tests of tools/stack, for every code. */
  const commands = readFileSync(join(ROOT, 'docs/errors.md'), 'utf8')
    .split(/^### /m)
    .flatMap((section) => {
      const [, command = ''] = /```sh\n(.*)\n```/.exec(section) ?? [];
      return command.includes('"$API/') ? [[section.split('\n')[0], command] as const] : [];
    });

  it.each(commands)('%s is provoked by its command', async (code, command) => {
    const env = { ...process.env, API: environment.stack.apiUrl };
    const { stdout } = await run('sh', ['-c', command], { env });
    expect(JSON.parse(stdout)).toEqual({ error: code, message: expect.any(String) });
  });
});

describe('the commands for operators', () => {
  let metricsPort: number;
  let database: Client;
  beforeAll(async () => {
    metricsPort = await freePort();
    await environment.restartRelayer({ METRICS_PORT: `${metricsPort}` });
    database = new Client({ connectionString: environment.stack.databaseUrl });
    await database.connect();
  });
  afterAll(async () => database?.end());

  const commands = ['runbook.md', 'operate/run.md', 'operate/upgrade.md', 'operate/team.md']
    .flatMap(readCommands)
    // `operating/deployment.test.ts` runs the commands that create a database, and `drills` those that restore one.
    .filter((line) => !/^npx |^relayer reconcile|"\$(SERVER|SUPERUSER|OWNER)"/.test(line));

  it.each([...new Set(commands)])('%s runs', async (line) => {
    const [program, ...words] = line.split(' ');
    if (program === 'relayer') {
      expect(await environment.relayerCommand(...words)).toMatchObject({ code: 0 });
      return;
    }
    if (program === 'causeway-admin') {
      const bundle = join(ROOT, 'packages/admin-cli/dist/bundle/main.js');
      await run(process.execPath, [bundle, ...words], { env: { DATABASE_URL: environment.stack.databaseUrl } });
      return;
    }
    const metrics = `http://127.0.0.1:${metricsPort}/metrics`;
    const { apiUrl, partner } = environment.stack;
    const env = { ...process.env, API: new URL(apiUrl).origin, METRICS: metrics, GATEWAY: partner.rpcUrl };
    // A relayer that has just started needs a moment to serve metrics.
    await waitUntil(line, async () => (await run('sh', ['-c', line], { env }).catch(() => null)) !== null);
  });

  it.each(readCodeBlocks('runbook.md', 'sql'))('%s reads the database', async (query) => {
    expect((await database.query(query)).rows).toEqual(expect.any(Array));
  });
});

describe('the complete scripts of the documentation', () => {
  it('deposit ETH with viem and see it arrive', async () => {
    const output = await runScript('deposit.mjs', findScript('integrate/start.md', 'js', 'depositNative'));
    expect(output).toMatch(/COMPLETED\nArrived: 0\.5 ETH\n$/);
  });

  it('deposit ETH with cast and see it arrive', async () => {
    const output = await runScript('deposit.sh', findScript('integrate/start.md', 'sh', 'cast send'));
    expect(output).toMatch(/^Sent 0x[0-9a-f]{64}\nArrived; the balance is now \d+/);
  });

  it('name the chain ids of the stack for wallets', async () => {
    const [parameters = ''] = readCodeBlocks('integrate/start.md', 'json');
    const { chainId, nativeCurrency } = JSON.parse(parameters) as { chainId: string; nativeCurrency: object };
    expect(Number(chainId)).toBe(await environment.partner.client.getChainId());
    expect(nativeCurrency).toEqual({ name: 'XCN', symbol: 'XCN', decimals: 18 });
  });
});

describe('the queries of docs/contribute/debugging.md', () => {
  let database: Client;
  beforeAll(async () => {
    database = new Client({ connectionString: environment.stack.databaseUrl });
    await database.connect();
  });
  afterAll(async () => database?.end());

  it('show the timeline of an operation', async () => {
    const [timeline = ''] = readCodeBlocks('contribute/debugging.md', 'sql');
    const { rows: operations } = await database.query(
      "SELECT id FROM operation WHERE status = 'COMPLETED' AND kind = 'DEPOSIT' LIMIT 1",
    );
    const { rows } = await database.query(timeline.replaceAll(":'id'", `'${operations[0].id}'`));
    const steps = rows.map(({ what }: { what: string }) => what.split(' ')[0]);
    expect(steps).toEqual(expect.arrayContaining(['created', 'Deposit', 'final', 'delivery', 'settled']));
  });

  it('run on the database of a stack', async () => {
    for (const query of readCodeBlocks('contribute/debugging.md', 'sql').slice(1)) {
      expect((await database.query(query)).rows).toEqual(expect.any(Array));
    }
  });
});

describe('docs/examples/causeway_example.py', () => {
  const SCRIPT = join(ROOT, 'docs/examples/causeway_example.py');
  const runPython = (...words: string[]) => run('python3', [SCRIPT, ...words], { timeout: 120_000 });
  const runHere = async (...words: string[]) => runPython('--api', environment.stack.apiUrl, ...words);

  /** Signs and sends the calls that `calls` printed. */
  async function sendCalls(printed: string): Promise<Hex> {
    const { ethereum, accounts } = environment;
    let hash: Hex = '0x';
    for (const { chainId, to, data, value, gas } of JSON.parse(printed) as UnsignedCall[]) {
      expect(chainId).toBe(await ethereum.client.getChainId());
      const call = { to, data, value: BigInt(value), gas: BigInt(gas) };
      hash = await ethereum.getWallet(accounts.alice).sendTransaction(call);
      expect(await ethereum.client.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    }
    return hash;
  }

  it('prints the calls of a deposit, and follows the sent deposit to COMPLETED', async () => {
    const { address } = environment.accounts.alice;
    const { stdout: printed } = await runHere('calls', 'USDC', '25', 'ETHEREUM_TO_PARTNER', address, address);
    expect(JSON.parse(printed)).toHaveLength(2);
    const originTxHash = await sendCalls(printed);
    const { stdout, stderr } = await runHere('status', originTxHash, '--interval', '0.25');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'COMPLETED', originTxHash, outputAmountFormatted: '25' });
    expect(stderr).toMatch(/\bCOMPLETED\n$/);
    const history = await runHere('history', address, '--count', '1');
    expect(JSON.parse(history.stdout)).toMatchObject([{ originTxHash, status: 'COMPLETED' }]);
  });

  it('reads a history of many pages once when used as a module', async () => {
    const { address } = environment.accounts.alice;
    const program = `
from causeway_example import Bridge
for operation in Bridge("${environment.stack.apiUrl}", print).history("${address}", page_size=1):
    print(operation["id"])
`;
    const env = { ...process.env, PYTHONPATH: dirname(SCRIPT), PYTHONDONTWRITEBYTECODE: '1' };
    const { stdout } = await run('python3', ['-c', program], { env });
    const { operations } = await readHistory(`address=${address}&limit=100`);
    expect(operations.length).toBeGreaterThan(2);
    expect(stdout.trim().split('\n')).toEqual(operations.map(({ id }) => id));
  });

  it('retries only after Retry-After', async () => {
    let busyUntil: number | undefined;
    let refusals = 0;
    const server = createServer((request, response) => {
      // Without the header, a client would retry within two seconds.
      busyUntil ??= performance.now() + 2_000;
      if (performance.now() < busyUntil) {
        refusals += 1;
        response.writeHead(429, { 'retry-after': '2' }).end('{"error":"RATE_LIMIT_EXCEEDED","message":"busy"}');
        return;
      }
      void fetch(new URL(request.url ?? '', environment.stack.apiUrl)).then(async (answer) =>
        response.end(await answer.text()),
      );
    }).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { stdout, stderr } = await runPython('--api', `http://127.0.0.1:${port}/api/v1`, 'limits');
      expect(JSON.parse(stdout)).toHaveProperty('ETHEREUM_TO_PARTNER');
      expect(stderr).toBe('RATE_LIMIT_EXCEEDED: busy; asking again\n');
      expect(refusals).toBe(1);
    } finally {
      server.close();
    }
  });

  it.each([
    [1, 'VALIDATION_ERROR: amount ', ['quote', 'USDC', '1e3', 'ETHEREUM_TO_PARTNER']],
    [2, 'must begin with http', ['--api', 'ftp://127.0.0.1', 'limits']],
  ])('ends with %i and %s', async (code, stderr, words) => {
    await expect(runHere(...words)).rejects.toMatchObject({ code, stderr: expect.stringContaining(stderr) });
  });

  it('exits with 4 when the operation has failed', async () => {
    const { partner, accounts, book } = environment;
    const payment = { to: book.relayer, value: parseAmount('XCN', '5001') };
    const hash = await partner.getWallet(accounts.alice).sendTransaction(payment);
    const failed = runHere('status', hash, '--interval', '0.25');
    await expect(failed).rejects.toMatchObject({ code: 4, stdout: expect.stringContaining('TRANSFER_UNMATCHED') });
  });
});
