import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  anAddressBook,
  encryptKeystore,
  startAnvil,
  startGateway,
  startPostgres,
  testAccount,
  testKey,
  type Anvil,
} from '@causeway/test-kit';
import { MIGRATIONS } from '@causeway/store/schema';
import { makeAddress } from './fixtures.js';

// `doctor` before the steps of docs/operate/setup.md, and with what can be wrong. e2e/test has the whole way.

const CLI = fileURLToPath(new URL('../dist/bundle/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'causeway-doctor-'));
let stranger: Anvil;

beforeAll(async () => {
  stranger = await startAnvil({ chainId: 5 });
});
afterAll(async () => {
  await stranger?.stop();
  rmSync(folder, { recursive: true });
});

interface Report {
  readonly exitCode: number;
  readonly findings: readonly { severity: string; check: string; finding: string; nextStep: string | null }[];
}

/** Runs the command in a new folder that `prepare` fills. Returns its lines without those that are ok. */
async function doctor(
  prepare: (home: string) => void,
  words: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; lines: string[]; report: Report }> {
  const home = mkdtempSync(join(folder, 'home-'));
  prepare(home);
  const command = [CLI, 'doctor', 'testnet', '--json', ...words];
  const { code, stdout } = await promisify(execFile)(process.execPath, command, { cwd: home, env }).then(
    (done) => ({ code: 0, ...done }),
    (failed: { code: number; stdout: string }) => failed,
  );
  const report = JSON.parse(stdout) as Report;
  const lines = report.findings.filter(({ severity }) => severity !== 'ok');
  return {
    code,
    report,
    lines: lines.map(({ severity, check, finding, nextStep }) => `${severity} ${check}: ${finding} -> ${nextStep}`),
  };
}

/** The example with an address for each placeholder. */
async function filledConfiguration(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'example', 'testnet'], { env: {} });
  const names = [...new Set(stdout.match(/<[A-Z_]+>/g)?.map((name) => name.replace(/_ON_.*|_ADDRESS>/, '')))];
  return stdout.replaceAll(/<([A-Z_]+)>/g, (name) => {
    if (name === '<RELAYER_ADDRESS>') return testAccount(1).address;
    return makeAddress(1 + names.indexOf(name.replace(/_ON_.*|_ADDRESS>/, '')));
  });
}

describe('doctor', () => {
  it('reports every step and its command while nothing exists', async () => {
    const { code, report, lines } = await doctor(() => undefined);
    expect(code).toBe(2);
    expect(report.exitCode).toBe(2);
    expect([...new Set(report.findings.map(({ check }) => check))]).toEqual(
      'accounts tokens contracts offices database keystores nodes gateway services transfer'.split(' '),
    );
    expect(lines.every((line) => line.startsWith('not yet ') && !line.endsWith('null'))).toBe(true);
  });

  it('reports the remaining placeholders', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [CLI, 'example', 'testnet'], { env: {} });
    const { code, lines } = await doctor((home) => writeFileSync(join(home, 'testnet.json'), stdout));
    expect(code).toBe(2);
    expect(lines[0]).toMatch(/^not yet accounts: testnet\.json is not filled in: .*relayer.* -> write the addresses/);
  });

  it('reports nodes of another chain, a foreign address book, and an unavailable database', async () => {
    const config = await filledConfiguration();
    const { code, lines } = await doctor(
      (home) => {
        writeFileSync(join(home, 'testnet.json'), config);
        mkdirSync(join(home, 'deployments'));
        writeFileSync(join(home, 'deployments/testnet.json'), JSON.stringify(anAddressBook()));
      },
      [
        '--ethereum-rpc',
        stranger.url,
        '--partner-rpc',
        'http://name:secret@127.0.0.1:9',
        '--health',
        'api=http://127.0.0.1:9',
      ],
      { DATABASE_URL: 'postgresql://causeway:secret@127.0.0.1:9/causeway' },
    );
    expect(code).toBe(1);
    const errors = lines.filter((line) => line.startsWith('error'));
    expect(errors).toEqual([
      expect.stringMatching(/^error accounts: coin on partner cannot be read: .* -> start the node of --partner-rpc/),
      expect.stringMatching(/^error tokens: no contract at 0x.*, USDC -> causeway-admin deploy-test-tokens/),
      expect.stringMatching(/^error tokens: no contract at 0x.*, XCN/),
      expect.stringMatching(/^error contracts: deployments\/testnet\.json is an address book of local, not of testnet/),
      expect.stringMatching(/^error database: it does not answer: .*ECONNREFUSED.* -> start it/),
      expect.stringMatching(/^error nodes: --ethereum-rpc serves chain 5 instead of 11155111 -> use a node/),
      expect.stringMatching(/^error nodes: --partner-rpc: .* -> start the node/),
      expect.stringMatching(/^error gateway: it refuses 60 of 60 concurrent calls: .* -> start it/),
      expect.stringMatching(/^error services: api does not answer: .* -> read its log/),
    ]);
    expect(lines.join()).not.toContain('secret');
  });

  it('reports keys of other accounts, wrong passwords, and files that others can read', async () => {
    const config = await filledConfiguration();
    const { code, lines } = await doctor((home) => {
      writeFileSync(join(home, 'testnet.json'), config);
      for (const name of ['keystores', 'passwords']) mkdirSync(join(home, name));
      const write = (name: string, key: number, password: string) => {
        const keystore = encryptKeystore(testKey(key), 'right', 'scrypt');
        writeFileSync(join(home, 'keystores', `${name}.json`), keystore, { mode: 0o600 });
        writeFileSync(join(home, 'passwords', name), password, { mode: 0o600 });
      };
      write('relayer', 1, 'right\n');
      write('pauser', 2, 'right\n');
      write('guardian', 3, 'wrong\n');
      chmodSync(join(home, 'passwords/relayer'), 0o644);
    });
    expect(code).toBe(1);
    expect(lines.filter((line) => line.includes('keystores:'))).toEqual([
      expect.stringMatching(
        /^error keystores: other users can access passwords\/relayer -> chmod o= passwords\/relayer$/,
      ),
      expect.stringMatching(/^error keystores: pauser: this is the key of 0x.*, but the configuration has 0x/),
      expect.stringMatching(/^error keystores: guardian: The keystore cannot be decrypted/),
    ]);
  });

  it('reports that a gateway limits this process', async () => {
    const settings = { CHAIN_ID: '8901', DATA_DIRECTORY: join(folder, 'partner'), RATE_LIMIT_PER_SECOND: '10' };
    const gateway = await startGateway(settings);
    try {
      const { lines } = await doctor(() => undefined, ['--partner-rpc', gateway.httpUrl]);
      expect(lines).toContainEqual(
        expect.stringMatching(/^error gateway: it refuses \d+ of 60 concurrent calls: .* -> give this/),
      );
    } finally {
      await gateway.stop();
    }
  });

  it('reports what a database lacks, step by step', async () => {
    const server = await startPostgres();
    const env = { DATABASE_URL: `${server.url}/postgres` };
    const database = async () => {
      const { report } = await doctor(() => undefined, [], env);
      return report.findings
        .filter(({ check }) => check === 'database')
        .map(({ severity, finding }) => `${severity}: ${finding}`);
    };
    try {
      expect(await database()).toEqual([
        expect.stringMatching(/^ok: PostgreSQL \d+, on this machine, its clock agrees$/),
        expect.stringMatching(/^not yet: missing roles: causeway_owner, causeway_relayer,/),
        `not yet: pending migrations: ${MIGRATIONS.length}`,
      ]);
      for (const command of ['roles', 'apply'])
        await promisify(execFile)(process.execPath, [CLI, 'migrate', command], { env });
      expect(await database()).toEqual([
        expect.stringMatching(/^ok: PostgreSQL/),
        expect.stringMatching(/^ok: the roles have their rights/),
        expect.stringMatching(/^warning: \w+ is a superuser$/),
        'ok: every migration is applied',
      ]);
    } finally {
      await server.stop();
    }
  });

  it('includes the lines of `relayer doctor --json`, and reports when they are old', async () => {
    const finding = { severity: 'error', check: 'nodes', finding: 'partner 10.0.0.1 is away', nextStep: 'start it' };
    const report = (at: number) => JSON.stringify({ at: new Date(at).toISOString(), exitCode: 1, findings: [finding] });
    const read = (text: string) =>
      doctor((home) => writeFileSync(join(home, 'relayer.json'), text), ['--relayer-report', 'relayer.json']);
    const taken = 'error nodes: relayer: partner 10.0.0.1 is away -> start it';
    const fresh = await read(report(Date.now()));
    expect(fresh.code).toBe(1);
    expect(fresh.lines).toContain(taken);
    expect(fresh.lines.join()).not.toContain('minutes old');
    const old = await read(report(Date.now() - 3_600_000));
    expect(old.lines).toEqual(
      expect.arrayContaining([taken, expect.stringContaining('relayer.json is 60 minutes old')]),
    );
    expect((await read('{}')).lines).toContainEqual(expect.stringContaining('is not a report of this version'));
  });
});
