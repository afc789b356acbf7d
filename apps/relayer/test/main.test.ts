import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { describeVariables } from '@causeway/service/configuration';
import { anAddress, anAddressBook, temporaryDatabase } from '@causeway/test-kit';
import { privateKeyToAddress } from 'viem/accounts';
import { relayerVariables } from '../src/configuration.js';

// Runs the compiled entry point in its own process. No test reaches a node.

const main = createRequire(import.meta.url).resolve('@causeway/relayer/main');
const directory = mkdtempSync(join(tmpdir(), 'causeway-relayer-'));
afterAll(() => rmSync(directory, { recursive: true }));

const RELAYER_PRIVATE_KEY = `0x${'1'.repeat(64)}` as const;
const variables = describeVariables(relayerVariables);

function environment(
  over: Readonly<Record<string, string>> = {},
  relayer = anAddress('relayer'),
): Record<string, string> {
  const ADDRESS_BOOK = join(directory, `${relayer}.json`);
  const book = { ...anAddressBook(), relayer };
  writeFileSync(ADDRESS_BOOK, JSON.stringify(book));
  return {
    ENVIRONMENT: 'local',
    DATABASE_URL: 'postgresql://causeway:secret@127.0.0.1:5432/causeway',
    ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
    PARTNER_RPC_URLS: 'http://127.0.0.1:9',
    ADDRESS_BOOK,
    RELAYER_PRIVATE_KEY,
    ...over,
  };
}

async function run(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const args = ['--disable-warning=ExperimentalWarning', ...options, main, ...words];
    const child = execFile(process.execPath, args, { env: { ...env } }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

/** A port of this machine without a listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

describe('relayer --help', () => {
  it('lists every command and every environment variable, without needing any of them', async () => {
    const { code, stdout, stderr } = await run(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const command of ['start', 'halts', 'halt', 'resume', 'cancel', 'retry', 'unmatched', 'explain', 'doctor'])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
    for (const { name } of variables) expect(stdout).toMatch(new RegExp(`^  ${name}$`, 'm'));
  });
});

describe('the relayer ends with one line for each problem and no stack trace', () => {
  it.each([
    ['the service', []],
    ['a command', ['halts']],
  ])('when %s lacks variables: one line for each', async (_, words) => {
    const { code, stderr } = await run(words);
    expect(code).toBe(78);
    const [, ...lines] = stderr.trimEnd().split('\n');
    const required = variables.filter(({ isRequired }) => isRequired);
    expect(lines).toEqual(
      required.map(({ name }) => expect.stringMatching(new RegExp(`^${name} is not set; it must `))),
    );
  });

  it('when DATABASE_URL is not a connection string', async () => {
    const { code, stderr } = await run(['start'], environment({ DATABASE_URL: 'hello' }));
    expect({ code, lines: stderr.trimEnd().split('\n') }).toEqual({
      code: 78,
      lines: [expect.stringContaining('--help'), expect.stringMatching(/^DATABASE_URL must be a PostgreSQL/)],
    });
  });

  it('when the key does not belong to the relayer of the address book', async () => {
    const { code, stderr } = await run([], environment());
    expect({ code, stderr }).toEqual({ code: 78, stderr: expect.stringMatching(/^The signer has the key of .*\n$/) });
  });

  it.each([
    ['the service', []],
    ['a command', ['halts']],
  ])('when PostgreSQL does not answer %s', async (_, words) => {
    const DATABASE_URL = `postgresql://causeway:secret@127.0.0.1:${await closedPort()}/causeway`;
    const env = environment({ DATABASE_URL }, privateKeyToAddress(RELAYER_PRIVATE_KEY));
    const { code, stderr } = await run(words, env);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^PostgreSQL does not answer \(.*ECONNREFUSED.*\): check DATABASE_URL\n$/),
    });
  });

  it('when the database has no tables: the line says what to do', async () => {
    const database = await temporaryDatabase();
    const env = environment({ DATABASE_URL: database.url }, privateKeyToAddress(RELAYER_PRIVATE_KEY));
    for (const words of [[], ['halts'], ['audit', 'verify']]) {
      const { code, stderr } = await run(words, env);
      expect({ words, code, stderr }).toEqual({
        words,
        code: 78,
        stderr: expect.stringMatching(
          /^The database does not fit this program: migrations are missing: 20261122000000_init -> .*\n$/,
        ),
      });
    }
    await database.stop();
  });

  it('when Node.js is too old', async () => {
    const old = "Object.defineProperty(process.versions, 'node', { value: '20.20.2' })";
    const { code, stderr } = await run([], {}, ['--import', `data:text/javascript,${encodeURIComponent(old)}`]);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^Node\.js 24 .*20\.20\.2.*\n$/) });
  });
});
