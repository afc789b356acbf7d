import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { anAddressBook } from '@causeway/test-kit';
import { ConfigurationError, readVariables } from '@causeway/service/configuration';
import { readNodes, readAddressBook, readDatabaseUrl, serviceVariables } from './configuration.js';

const directory = mkdtempSync(join(tmpdir(), 'causeway-configuration-'));
afterAll(() => rmSync(directory, { recursive: true }));

const valid = {
  ENVIRONMENT: 'local',
  DATABASE_URL: 'postgresql://user:secret@localhost:5432/causeway',
  ETHEREUM_RPC_URLS: 'http://127.0.0.1:8545, https://node.example/key',
  PARTNER_RPC_URLS: 'http://127.0.0.1:7546',
  ADDRESS_BOOK: 'book.json',
};

function catchProblems(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    expect(error.message.split('\n')).toEqual([expect.stringContaining('--help'), ...error.problems]);
    return error.problems;
  }
  throw new Error('The configuration was accepted');
}

describe('readNodes', () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((host) => `https://${host}.example/v2/secret-key`) as [
    string,
    string,
    string,
    string,
    string,
  ];
  const nodes = (urls: string[], ETHEREUM_QUORUM?: number, ENVIRONMENT: 'local' | 'mainnet' = 'mainnet') =>
    readNodes({ ENVIRONMENT, ETHEREUM_RPC_URLS: urls, PARTNER_RPC_URLS: [], ETHEREUM_QUORUM }, 'ETHEREUM');

  it.each([
    ['two nodes', [a, b], 'mainnet', 2],
    ['three nodes', [a, b, c], 'mainnet', 2],
    ['four nodes', [a, b, c, d], 'mainnet', 3],
    ['five nodes', [a, b, c, d, e], 'mainnet', 3],
    ['a single node of a developer', [a], 'local', 1],
    ['two nodes of a developer', [a, b], 'local', 2],
  ] as const)('lets the majority of %s decide', (_, urls, environment, quorum) => {
    expect(nodes([...urls], undefined, environment)).toEqual({ urls, headUrls: [], quorum, warning: null });
  });

  it('trusts a single node outside local only if the quorum is explicitly 1, with a warning', () => {
    expect(catchProblems(() => nodes([a]))).toEqual([
      'ETHEREUM_QUORUM is 2 by default, but ETHEREUM_RPC_URLS has 1 node: ' +
        'add nodes of other operators, or set ETHEREUM_QUORUM to trust fewer',
    ]);
    expect(nodes([a], 1)).toMatchObject({ quorum: 1, warning: expect.stringContaining('ETHEREUM_QUORUM is 1') });
    expect(nodes([a, b], 1).warning).not.toBeNull();
    expect(nodes([a], 1, 'local').warning).toBeNull();
  });

  it('uses WebSocket addresses for new heads only', () => {
    const headUrl = 'wss://a.example/ws';
    expect(nodes([headUrl, a, b])).toMatchObject({ urls: [a, b], headUrls: [headUrl], quorum: 2 });
    expect(catchProblems(() => nodes([headUrl]))).toEqual([
      expect.stringContaining('must have an http:// or https://'),
    ]);
  });

  it('refuses a host listed twice, whatever the path, without showing a key', () => {
    const problems = catchProblems(() => nodes([a, b, 'https://A.example:443/another-key']));
    expect(problems).toEqual([expect.stringMatching(/ETHEREUM_RPC_URLS names a\.example twice/)]);
    expect(problems.join()).not.toContain('key');
  });

  it('refuses a quorum above the number of nodes', () => {
    expect(catchProblems(() => nodes([a, b], 3))).toEqual([expect.stringContaining('ETHEREUM_QUORUM is 3, but')]);
  });
});

describe('serviceVariables', () => {
  it('parses lists, and uses defaults for missing and empty variables', () => {
    expect(readVariables(serviceVariables, { ...valid, HOLD_SECONDS: '', OTHER: 'x' })).toEqual({
      ...valid,
      ETHEREUM_RPC_URLS: ['http://127.0.0.1:8545', 'https://node.example/key'],
      PARTNER_RPC_URLS: ['http://127.0.0.1:7546'],
      LOG_LEVEL: 'info',
    });
    expect(readVariables(serviceVariables, { ...valid, HOLD_SECONDS: '0' })).toMatchObject({ HOLD_SECONDS: 0 });
  });

  it.each([
    ['DATABASE_URL', 'hello'],
    ['DATABASE_URL', 'mysql://user:secret@localhost/causeway'],
    ['DATABASE_URL', 'postgresql://'],
    ['DATABASE_URL', 'postgresql://user:secret@[host/name'],
    ['DATABASE_URL', 'postgresql://user:pa@secret/rest@host/name'],
    ['DATABASE_URL', 'postgresql://user:pass@secret@host/name'],
    ['DATABASE_URL', 'postgresql://user:12/secret@host/name'],
    ['DATABASE_URL', 'postgresql://user:12#secret@host/name'],
    ['DATABASE_URL', 'postgresql://user:12?secret@host/name'],
    ['DATABASE_URL', 'postgresql://user:secret%x@host/name'],
    ['ENVIRONMENT', 'production'],
    ['ETHEREUM_RPC_URLS', 'localhost:8545'],
    ['ETHEREUM_RPC_URLS', 'ftp://node.example'],
    ['PARTNER_RPC_URLS', 'http://127.0.0.1:1,'],
    ['HOLD_SECONDS', '1.5'],
    ['HOLD_SECONDS', '-1'],
    ['HOLD_SECONDS', ' '],
    ['ETHEREUM_CONFIRMATIONS', '0'],
    ['PARTNER_CONFIRMATIONS', 'many'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s in one line that names the variable without its value', (name, value) => {
    const problems = catchProblems(() => readVariables(serviceVariables, { ...valid, [name]: value }));
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${name} must [^\n]+$`))]);
    for (const secret of ['secret', 'production', 'example', 'hello', 'loud'])
      expect(problems[0]).not.toContain(secret);
  });

  it('names every required variable that is unset or empty, and how to set it', () => {
    const named = catchProblems(() => readVariables(serviceVariables, { DATABASE_URL: '' })).map(
      (line) => /^([A-Z_]+) is not set; it must /.exec(line)?.[1],
    );
    expect(named).toEqual(Object.keys(valid));
  });
});

describe('readDatabaseUrl', () => {
  const read = (DATABASE_URL: string, ENVIRONMENT = 'testnet') => readDatabaseUrl({ ENVIRONMENT, DATABASE_URL });

  it.each([
    'postgresql://user:password@localhost/causeway',
    'postgresql://user:%40%2F%3F%23%25:!$&@localhost/causeway',
    'postgresql://user:password@127.0.0.1:5432/causeway',
    'postgresql://user:password@[::1]/causeway?sslmode=disable',
    'postgresql://user@%2Frun%2Fpostgresql/causeway',
    'postgresql:///causeway?host=/run/postgresql',
    'postgresql://user:password@db.example/causeway?sslmode=verify-full',
    `postgresql://user:password@10.0.0.7/causeway?sslmode=verify-full&sslrootcert=${import.meta.filename}`,
  ])('accepts %s', (url) => {
    expect(read(url)).toBe(url);
  });

  it.each([
    'postgresql://user:password@db.example/causeway',
    'postgresql://user:password@db.example/causeway?sslmode=require',
    'postgresql://user:password@db.example/causeway?sslmode=verify-ca&sslrootcert=/dev/null',
    'postgresql://user:password@db.example/causeway?sslmode=verify-full&sslmode=disable',
    'postgresql://user:password@127.0.0.1.example/causeway',
    'postgresql://user:password@localhost/causeway?host=db.example',
    'postgresql:///causeway',
  ])('refuses %s outside local, without showing the password', (url) => {
    const problems = catchProblems(() => read(url));
    expect(problems).toEqual([expect.stringMatching(/^DATABASE_URL must have sslmode=verify-full because /)]);
    expect(problems.join('')).not.toContain('password');
    expect(read(url, 'local')).toBe(url);
  });

  it('names a certificate that cannot be read, in every environment', () => {
    const url = 'postgresql://user:password@db.example/causeway?sslmode=verify-full&sslrootcert=/none.crt';
    for (const environment of ['local', 'testnet'])
      expect(catchProblems(() => read(url, environment))).toEqual([
        'DATABASE_URL names the sslrootcert /none.crt, which cannot be read',
      ]);
  });
});

describe('readAddressBook', () => {
  const book = anAddressBook();
  const file = (name: string, content: string) => {
    const path = join(directory, name);
    writeFileSync(path, content);
    return path;
  };

  it('returns the book of the environment', () => {
    expect(readAddressBook(file('book.json', JSON.stringify(book)), 'local')).toEqual(book);
  });

  it.each([
    ['a missing file', () => join(directory, 'none.json'), 'readable JSON file'],
    ['a file that is not JSON', () => file('hello.json', 'hello\n\nworld'), 'readable JSON file'],
    [
      'an incomplete book',
      () => file('incomplete.json', JSON.stringify({ ...book, relayer: '0x12' })),
      'the field "relayer" is wrong',
    ],
    [
      'a book of another environment',
      () => file('testnet.json', JSON.stringify({ ...book, environment: 'testnet' })),
      'of the environment local (ENVIRONMENT)',
    ],
    [
      'a book with the chains of another environment',
      () => file('chains.json', JSON.stringify({ ...book, ethereum: { ...book.ethereum, chainId: 1 } })),
      'the chain ids of local, 31337 and 8901',
    ],
  ])('refuses %s in one line', (_, path, words) => {
    const problems = catchProblems(() => readAddressBook(path(), 'local'));
    expect(problems).toEqual([expect.stringMatching(/^ADDRESS_BOOK must (be|have) [^\n]+$/)]);
    expect(problems[0]).toContain(words);
  });
});
