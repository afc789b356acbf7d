import { createRequire } from 'node:module';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@causeway/store';
import {
  anAddressBook,
  countRows,
  encryptKeystore,
  makeWrongSecrets,
  runProgram,
  startAnvil,
  temporaryDatabase,
  testKey,
  type Anvil,
  type PostgresServer,
} from '@causeway/test-kit';
import { privateKeyToAddress } from 'viem/accounts';

// The deployed program: each wrong configuration gives one line, exit code 78, and no row.

const main = createRequire(import.meta.url).resolve('@causeway/relayer/main');
const folder = mkdtempSync(join(tmpdir(), 'causeway-relayer-wrong-'));
const TITLE = 'The configuration is invalid (--help lists all variables):\n';
const KEY = testKey(1);

let database: PostgresServer;
let other: Anvil;
let valid: Record<string, string>;
beforeAll(async () => {
  [database, other] = await Promise.all([temporaryDatabase(migrate), startAnvil({ chainId: 1 })]);
  valid = {
    ENVIRONMENT: 'local',
    DATABASE_URL: database.url,
    ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
    PARTNER_RPC_URLS: 'http://127.0.0.1:9',
    ADDRESS_BOOK: file('book.json', JSON.stringify({ ...anAddressBook(), relayer: privateKeyToAddress(KEY) })),
    RELAYER_PRIVATE_KEY: KEY,
    LOG_LEVEL: 'silent',
  };
});
afterAll(async () => {
  await Promise.all([database?.stop(), other?.stop()]);
  rmSync(folder, { recursive: true });
});

function file(name: string, content: string, mode = 0o600): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

/** Returns the program's output. */
async function refuse(changes: Readonly<Record<string, string>>, clockAheadMs = 0): Promise<string> {
  const before = await countRows(database.url);
  const { code, stdout, stderr } = await runProgram(main, { ...valid, ...changes }, { clockAheadMs });
  expect({ code, stdout, stderr }).toEqual({ code: 78, stdout: '', stderr: expect.stringMatching(/\n$/) });
  expect(await countRows(database.url)).toEqual(before);
  return stderr;
}

describe('the relayer exits with 78, one line and no row', () => {
  it.each(makeWrongSecrets(folder, KEY))('for a secret that is %s', async (_, path, reason) => {
    const printed = await refuse({ RELAYER_PRIVATE_KEY: '', RELAYER_PRIVATE_KEY_FILE: path });
    expect(printed).toContain(`${TITLE}RELAYER_PRIVATE_KEY_FILE names ${path}, which ${reason}`);
    expect(printed.match(/\n/g)).toHaveLength(2);
    expect(printed).not.toContain(KEY.slice(2));
  });

  it('for nodes of another chain', async () => {
    const { host } = new URL(other.url);
    expect(await refuse({ ETHEREUM_RPC_URLS: other.url })).toBe(
      `${host} is a node of chain 1, but chain 31337 was expected: check the RPC addresses\n`,
    );
  });

  it('for a read-only database', async () => {
    const replica = await temporaryDatabase(migrate, { default_transaction_read_only: 'on' });
    expect(await refuse({ DATABASE_URL: replica.url })).toBe(
      'The database does not fit this program: it is a replica or read-only -> set DATABASE_URL to the primary\n',
    );
    await replica.stop();
  });

  it.each([-32_000, 32_000])('for a clock that is %i ms ahead of the database', async (clockAheadMs) => {
    expect(await refuse({}, clockAheadMs)).toMatch(
      /^The database does not fit this program: its clock and that of this machine differ by 3[12] s -> set both clocks/,
    );
  });

  it('for a keystore of another wallet, and one that other users can read', async () => {
    const RELAYER_KEYSTORE = file('relayer.json', encryptKeystore(testKey(2), 'password', 'scrypt'));
    const keystore = {
      RELAYER_PRIVATE_KEY: '',
      RELAYER_KEYSTORE,
      RELAYER_KEYSTORE_PASSWORD_FILE: file('password', 'password\n'),
    };
    expect(await refuse(keystore)).toMatch(/^The signer has the key of 0x.*, not the key of wallet 0x.*\n$/);
    chmodSync(RELAYER_KEYSTORE, 0o644);
    expect(await refuse(keystore)).toBe(
      `The keystore ${RELAYER_KEYSTORE} is accessible to other users of this machine: chmod o= ${RELAYER_KEYSTORE}\n`,
    );
  });

  it('for an address book of another environment, and a database that does not prove its identity', async () => {
    const printed = await refuse({
      ENVIRONMENT: 'testnet',
      DATABASE_URL: 'postgresql://causeway:5ec7e7@db.example/causeway',
      RELAYER_PRIVATE_KEY: '',
      RELAYER_KMS_KEY_ID: 'alias/relayer',
    });
    expect(printed.split('\n')).toEqual([
      TITLE.trimEnd(),
      expect.stringMatching(/^DATABASE_URL must have sslmode=verify-full because /),
      expect.stringMatching(/^ADDRESS_BOOK must be of the environment testnet \(ENVIRONMENT\), but .* is for local$/),
      expect.stringMatching(/^ETHEREUM_QUORUM is 2 by default, but ETHEREUM_RPC_URLS has 1 node/),
      expect.stringMatching(/^PARTNER_QUORUM is 2 by default, but PARTNER_RPC_URLS has 1 node/),
      '',
    ]);
    expect(printed).not.toContain('5ec7e7');
  });
});
