import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ConfigurationError, readConfiguration } from './configuration.js';
import { VARIABLES } from './variables.js';

const address = (digit: string) => `0x${digit.repeat(40)}`;
const book = {
  environment: 'local',
  ethereum: {
    chainId: 31_337,
    bridgeLock: address('1'),
    tokens: { USDC: address('2'), XCN: address('3') },
    deployedAtBlock: 1,
  },
  partner: {
    chainId: 8_901,
    bridgeMint: address('4'),
    tokens: { ETH: address('5'), USDC: address('6') },
    deployedAtBlock: 1,
    nativeUnit: '1',
  },
  relayer: address('7'),
};

let directory: string;
let valid: Record<string, string>;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'causeway-api-configuration-'));
  writeFileSync(join(directory, 'book.json'), JSON.stringify(book));
  writeFileSync(join(directory, 'hello.json'), 'hello\n\nworld');
  writeFileSync(join(directory, 'incomplete.json'), JSON.stringify({ ...book, relayer: '0x12' }));
  valid = {
    ENVIRONMENT: 'local',
    DATABASE_URL: 'postgresql://user:secret@localhost:5432/causeway',
    ETHEREUM_RPC_URLS: 'http://127.0.0.1:8545, https://node.example/key',
    PARTNER_RPC_URLS: 'http://127.0.0.1:7546',
    ADDRESS_BOOK: join(directory, 'book.json'),
  };
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfiguration(env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message.split('\n')).toHaveLength(error.problems.length + 1);
    return error.problems;
  }
  throw new Error('The configuration was accepted');
}

describe('readConfiguration', () => {
  it('takes defaults from the profile of the environment; an empty variable counts as not set', () => {
    expect(readConfiguration({ ...valid, HOLD_SECONDS: '', PORT: '' })).toMatchObject({
      ethereumRpcUrls: ['http://127.0.0.1:8545', 'https://node.example/key'],
      addressBook: { relayer: address('7') },
      host: '127.0.0.1',
      port: 3_000,
      logLevel: 'info',
      timing: { ethereumConfirmations: 12, partnerConfirmations: 6, holdSeconds: 3_600 },
    });
  });

  it('takes the values of the environment over them', () => {
    const given = { HOLD_SECONDS: '0', ETHEREUM_CONFIRMATIONS: '2', PARTNER_BLOCK_SECONDS: '0.5', PORT: '0' };
    expect(readConfiguration({ ...valid, ...given })).toMatchObject({
      port: 0,
      timing: { ethereumConfirmations: 2, holdSeconds: 0, blockSeconds: { ethereum: 12, partner: 0.5 } },
    });
  });

  it.each([
    ['DATABASE_URL', 'hello'],
    ['DATABASE_URL', 'mysql://user:secret@localhost/causeway'],
    ['DATABASE_URL', 'postgresql://'],
    ['DATABASE_URL', 'postgresql://user:secret@[host/name'],
    ['ENVIRONMENT', 'production'],
    ['ETHEREUM_RPC_URLS', 'localhost:8545'],
    ['PARTNER_RPC_URLS', 'http://127.0.0.1:1,'],
    ['PORT', '65536'],
    ['PORT', 'hello'],
    ['HOLD_SECONDS', '1.5'],
    ['HOLD_SECONDS', '-1'],
    ['ETHEREUM_CONFIRMATIONS', '0'],
    ['PARTNER_CONFIRMATIONS', 'many'],
    ['PARTNER_BLOCK_SECONDS', '-2'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s in one line that names the variable, and shows no password', (name, value) => {
    const problems = problemsOf({ ...valid, [name]: value });
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must `))]);
    expect(problems[0]).not.toContain('secret');
  });

  it('names every required variable that is not set', () => {
    const named = problemsOf({}).map((line) => /^([A-Z_]+) is not set; it must /.exec(line)?.[1]);
    expect(named).toEqual(Object.keys(valid));
  });

  it.each([
    ['missing.json', 'readable JSON file'],
    ['hello.json', 'readable JSON file'],
    ['incomplete.json', 'the field "relayer" is wrong'],
  ])('refuses the address book %s in one line', (file, words) => {
    const problems = problemsOf({ ...valid, ADDRESS_BOOK: join(directory, file) });
    expect(problems).toEqual([expect.stringMatching(/^ADDRESS_BOOK must be /)]);
    expect(problems[0]).toContain(words);
  });

  it('refuses the address book of another environment', () => {
    expect(problemsOf({ ...valid, ENVIRONMENT: 'testnet' })).toEqual([
      expect.stringMatching(/^ADDRESS_BOOK must be of the environment testnet/),
    ]);
  });
});

describe('.env.example', () => {
  const example = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');

  it('lists every variable, each below a comment', () => {
    const listed = [...example.matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    expect(listed).toEqual(Object.keys(VARIABLES));
    for (const block of example.trim().split('\n\n')) expect(block).toMatch(/^# /);
  });
});
