import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { anAddressBook, makeWrongSecrets, runProgram, testAccount, testKey } from '@causeway/test-kit';
import { MAIN } from './setup/attester.js';

// The program as it is deployed: each configuration that cannot be right is one line, exit code 78, and leaves nothing.

const folder = mkdtempSync(join(tmpdir(), 'attester-wrong-'));
const data = join(folder, 'data');
const TITLE = 'The configuration cannot be used (--help lists all variables):';
const bookFile = join(folder, 'book.json');
writeFileSync(bookFile, JSON.stringify(anAddressBook()));
const mainnetBook = join(folder, 'mainnet.json');
writeFileSync(
  mainnetBook,
  JSON.stringify({
    ...anAddressBook(),
    environment: 'mainnet',
    ethereum: { ...anAddressBook().ethereum, chainId: 1 },
    partner: { ...anAddressBook().partner, chainId: 327 },
  }),
);
afterAll(() => rmSync(folder, { recursive: true }));

const operators = [testAccount(7).address, testAccount(8).address].join(',');
const local = {
  ENVIRONMENT: 'local',
  ADDRESS_BOOK: bookFile,
  ATTESTER_ADDRESS: testAccount(5).address,
  ATTESTER_PRIVATE_KEY: testKey(5),
  ETHEREUM_RPC_URLS: 'own=http://127.0.0.1:9',
  PARTNER_RPC_URLS: 'own=http://127.0.0.1:9',
  OPERATORS: operators,
  EXCHANGE_URLS: 'http://127.0.0.1:9',
  DATA_DIRECTORY: data,
};
const nodes = 'one=https://a.example,one=https://b.example,two=https://c.example';
const keystore = { ATTESTER_KEYSTORE: '/nowhere', ATTESTER_KEYSTORE_PASSWORD_FILE: '/nowhere' };
const limits = { LIMITS_PER_HOUR: 'ETH=2,USDC=2,XCN=2', LIMITS_PER_DELIVERY: 'ETH=1,USDC=1,XCN=1' };
const mainnet = {
  ...local,
  ATTESTER_PRIVATE_KEY: '',
  ...keystore,
  ...limits,
  ENVIRONMENT: 'mainnet',
  ADDRESS_BOOK: mainnetBook,
  ETHEREUM_RPC_URLS: nodes,
  PARTNER_RPC_URLS: nodes,
  EXCHANGE_URLS: 'https://exchange.example',
};

const refuse = async (env: Readonly<Record<string, string>>) => {
  const { code, stderr, stdout } = await runProgram(MAIN, env);
  const [title, ...lines] = stderr.trimEnd().split('\n');
  expect({ code, title, count: lines.length, stdout }).toEqual({ code: 78, title: TITLE, count: 1, stdout: '' });
  expect(readdirSync(folder)).not.toContain('data');
  return lines.join('\n');
};

describe('the attester ends with 78 and one line', () => {
  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['nodes of one organisation', { ETHEREUM_RPC_URLS: nodes.replace('two', 'one') }, 'ETHEREUM_RPC_URLS must have at'],
    ['two nodes', { PARTNER_RPC_URLS: 'one=https://a.example,two=https://b.example' }, 'PARTNER_RPC_URLS must have at'],
    ['a quorum of half', { ETHEREUM_QUORUM: '1' }, 'ETHEREUM_QUORUM must be more than half of the 3 nodes'],
    ['an open exchange', { EXCHANGE_URLS: 'http://exchange.example' }, 'EXCHANGE_URLS must be https:// addresses'],
    ['a shorter validity', { ATTEST_VALIDITY_SECONDS: '60' }, 'ATTEST_VALIDITY_SECONDS is for the environment local'],
    ['a raw key', { ATTESTER_PRIVATE_KEY: testKey(5) }, 'ATTESTER_PRIVATE_KEY is for the environment local only'],
    ['one operator', { OPERATORS_NEEDED: '1' }, 'OPERATORS_NEEDED must be at least 2'],
    ['a limit that is missing', { LIMITS_PER_HOUR: 'ETH=2,USDC=2' }, 'LIMITS_PER_HOUR must have a limit of each asset'],
  ])('on mainnet for %s', async (_, change, start) => {
    expect(await refuse({ ...mainnet, ...change })).toContain(start);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['a node without a name', { ETHEREUM_RPC_URLS: 'http://127.0.0.1:9' }, 'ETHEREUM_RPC_URLS must be nodes such as'],
    [
      'a node named twice',
      { ETHEREUM_RPC_URLS: 'a=http://127.0.0.1:9/x,b=http://127.0.0.1:9/y,c=http://127.0.0.1:8' },
      'ETHEREUM_RPC_URLS names 127.0.0.1:9 twice',
    ],
    ['an unknown asset', { LIMITS_PER_HOUR: 'DOGE=2', LIMITS_PER_DELIVERY: 'ETH=1' }, 'LIMITS_PER_HOUR names DOGE'],
    ['limits of one kind', { LIMITS_PER_HOUR: 'ETH=2' }, 'LIMITS_PER_HOUR and LIMITS_PER_DELIVERY must name the same'],
    ['too few operators', { OPERATORS_NEEDED: '3' }, 'OPERATORS_NEEDED is 3, but OPERATORS has 2'],
    ['two signers', keystore, 'One of ATTESTER_KEYSTORE'],
    [
      'a book that is missing',
      { ADDRESS_BOOK: join(folder, 'none.json') },
      'ADDRESS_BOOK must be a readable JSON file',
    ],
  ])('for %s', async (_, change, start) => {
    expect(await refuse({ ...local, ...change })).toContain(start);
  });

  it.each(makeWrongSecrets(folder, 'own=http://127.0.0.1:9/5ec7e7'))(
    'for a secret that is %s',
    async (_, path, why) => {
      const line = await refuse({ ...local, ETHEREUM_RPC_URLS: '', ETHEREUM_RPC_URLS_FILE: path });
      expect(line).toContain(`ETHEREUM_RPC_URLS_FILE names ${path}, which ${why}`);
      expect(line).not.toContain('5ec7e7');
    },
  );

  it('for the key of another attester, without a title', async () => {
    const { code, stderr } = await runProgram(MAIN, { ...local, ATTESTER_PRIVATE_KEY: testKey(4) });
    expect({ code, lines: stderr.trimEnd().split('\n').length }).toEqual({ code: 78, lines: 1 });
    expect(stderr).toContain('configure that wallet');
    expect(readdirSync(folder)).not.toContain('data');
  });
});

describe('a record', () => {
  it('that is damaged refuses to start until it was recovered', async () => {
    const other = join(folder, 'damaged');
    const env = { ...local, DATA_DIRECTORY: other };
    const recover = async () => runProgram(MAIN, env, { words: ['recover'] });
    expect((await recover()).stdout).toContain('The record is whole, with 0 entries');
    writeFileSync(join(other, 'record'), '1 0000000000000000 {}\n');
    chmodSync(join(other, 'record'), 0o600);
    const { code, stderr } = await runProgram(MAIN, env);
    expect({ code, line: stderr.trimEnd().split('\n')[1] }).toEqual({
      code: 78,
      line: `DATA_DIRECTORY ${other} has a damaged record, in line 1: run \`attester recover\``,
    });
    expect((await recover()).stdout).toContain('The record has 0 whole entries now. The damaged file is');
    const damaged = readdirSync(other).find((name) => name.startsWith('record.damaged')) ?? '';
    expect(readFileSync(join(other, damaged), 'utf8')).toBe('1 0000000000000000 {}\n');
  });
});
