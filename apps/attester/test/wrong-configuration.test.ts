import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { anAddressBook, makeWrongSecrets, runProgram, testAccount, testKey } from '@causeway/test-kit';
import { MAIN } from './setup/attester.js';

// The deployed program: each invalid configuration gives one line and exit code 78, and leaves no files.

const folder = mkdtempSync(join(tmpdir(), 'attester-wrong-'));
const data = join(folder, 'data');
const TITLE = 'The configuration is invalid (--help lists all variables):';
const bookFile = join(folder, 'book.json');
writeFileSync(bookFile, JSON.stringify(anAddressBook()));
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

const refuse = async (env: Readonly<Record<string, string>>) => {
  const { code, stderr, stdout } = await runProgram(MAIN, env);
  const [title, ...lines] = stderr.trimEnd().split('\n');
  expect({ code, title, count: lines.length, stdout }).toEqual({ code: 78, title: TITLE, count: 1, stdout: '' });
  expect(readdirSync(folder)).not.toContain('data');
  return lines.join('\n');
};

describe('the attester ends with 78 and one line', () => {
  it('for a quorum that two different answers could reach', async () => {
    const env = { ...local, ETHEREUM_RPC_URLS: 'a=http://127.0.0.1:8,b=http://127.0.0.1:9', ETHEREUM_QUORUM: '1' };
    expect(await refuse(env)).toContain('ETHEREUM_QUORUM must be more than half of the 2 nodes of ETHEREUM_RPC_URLS');
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
  it('that is damaged prevents a start until it is recovered', async () => {
    const other = join(folder, 'damaged');
    const env = { ...local, DATA_DIRECTORY: other };
    const recover = async () => runProgram(MAIN, env, { words: ['recover'] });
    expect((await recover()).stdout).toContain('The record is intact, with 0 entries');
    writeFileSync(join(other, 'record'), '1 0000000000000000 {}\n');
    chmodSync(join(other, 'record'), 0o600);
    const { code, stderr } = await runProgram(MAIN, env);
    expect({ code, line: stderr.trimEnd().split('\n')[1] }).toEqual({
      code: 78,
      line: `DATA_DIRECTORY ${other} has a damaged record, in line 1: run \`attester recover\``,
    });
    expect((await recover()).stdout).toContain('The record now has 0 intact entries. The damaged file is');
    const damaged = readdirSync(other).find((name) => name.startsWith('record.damaged')) ?? '';
    expect(readFileSync(join(other, damaged), 'utf8')).toBe('1 0000000000000000 {}\n');
  });
});
