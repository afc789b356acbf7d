import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrate } from '@causeway/store';
import {
  anAddressBook,
  countRows,
  makeWrongSecrets,
  runProgram,
  startAnvil,
  temporaryDatabase,
  type Anvil,
  type PostgresServer,
} from '@causeway/test-kit';

// Tests the deployed program: an invalid configuration prints one line, exits with 78 and writes no row.

const MAIN = fileURLToPath(new URL('../../dist/bundle/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'causeway-api-wrong-'));
const TITLE = 'The configuration is invalid (--help lists all variables):\n';
const SECRET = 'postgresql://causeway:5ec7e7@127.0.0.1:9/causeway';

let database: PostgresServer;
let other: Anvil;
let valid: Record<string, string>;
beforeAll(async () => {
  [database, other] = await Promise.all([temporaryDatabase(migrate), startAnvil({ chainId: 1 })]);
  const ADDRESS_BOOK = join(folder, 'book.json');
  writeFileSync(ADDRESS_BOOK, JSON.stringify(anAddressBook()));
  valid = {
    ENVIRONMENT: 'local',
    DATABASE_URL: database.url,
    ETHEREUM_RPC_URLS: 'http://127.0.0.1:9',
    PARTNER_RPC_URLS: 'http://127.0.0.1:9',
    ADDRESS_BOOK,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
});
afterAll(async () => {
  await Promise.all([database?.stop(), other?.stop()]);
  rmSync(folder, { recursive: true });
});

/** Returns what the program prints. */
async function refuse(changes: Readonly<Record<string, string>>, clockAheadMs = 0): Promise<string> {
  const before = await countRows(database.url);
  const { code, stdout, stderr } = await runProgram(MAIN, { ...valid, ...changes }, { clockAheadMs });
  expect({ code, stdout, stderr }).toEqual({ code: 78, stdout: '', stderr: expect.stringMatching(/\n$/) });
  expect(await countRows(database.url)).toEqual(before);
  return stderr;
}

describe('the API ends with 78, one line and no row', () => {
  it.each(makeWrongSecrets(folder, SECRET))('for a secret that is %s', async (_, path, reason) => {
    const printed = await refuse({ DATABASE_URL: '', DATABASE_URL_FILE: path });
    expect(printed).toContain(`${TITLE}DATABASE_URL_FILE names ${path}, which ${reason}`);
    expect(printed.match(/\n/g)).toHaveLength(2);
    expect(printed).not.toContain('5ec7e7');
  });

  it('for nodes of another chain', async () => {
    const { host } = new URL(other.url);
    expect(await refuse({ PARTNER_RPC_URLS: other.url })).toBe(
      `${host} is a node of chain 1, but chain 8901 was expected: check the RPC addresses\n`,
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

  it('for an address book of another environment, and a database without a valid certificate', async () => {
    const printed = await refuse({
      ENVIRONMENT: 'testnet',
      DATABASE_URL: 'postgresql://causeway:5ec7e7@db.example/causeway',
      ETHEREUM_QUORUM: '1',
      PARTNER_QUORUM: '1',
    });
    expect(printed.split('\n')).toEqual([
      TITLE.trimEnd(),
      expect.stringMatching(/^DATABASE_URL must have sslmode=verify-full because /),
      expect.stringMatching(/^ADDRESS_BOOK must be of the environment testnet \(ENVIRONMENT\), but .* is for local$/),
      '',
    ]);
    expect(printed).not.toContain('5ec7e7');
  });
});
