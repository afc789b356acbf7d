import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfiguration } from './configuration.js';

const directory = mkdtempSync(join(tmpdir(), 'causeway-config-'));
afterAll(() => rmSync(directory, { recursive: true }));

const ADDRESS = `0x${'1'.repeat(40)}`;
const path = join(directory, 'book.json');
const book = {
  environment: 'local',
  ethereum: { chainId: 31_337, bridgeLock: ADDRESS, tokens: { USDC: ADDRESS, XCN: ADDRESS }, deployedAtBlock: 0 },
  partner: {
    chainId: 8_901,
    bridgeMint: ADDRESS,
    tokens: { ETH: ADDRESS, USDC: ADDRESS },
    deployedAtBlock: 0,
    nativeUnit: '1',
  },
  relayer: ADDRESS,
};
writeFileSync(path, JSON.stringify(book));

const good = {
  ENVIRONMENT: 'local',
  DATABASE_URL: 'postgresql://localhost/causeway',
  ETHEREUM_RPC_URLS: 'http://127.0.0.1:1, http://127.0.0.1:2',
  PARTNER_RPC_URLS: 'http://127.0.0.1:3',
  ADDRESS_BOOK: path,
  RELAYER_PRIVATE_KEY: `0x${'1'.repeat(64)}`,
};

function messageOf(variables: NodeJS.ProcessEnv): string {
  try {
    readConfiguration(variables);
  } catch (error) {
    if (error instanceof Error) return error.message;
  }
  throw new Error('The configuration was accepted');
}

describe('readConfiguration', () => {
  it('uses the defaults of the specification', () => {
    expect(readConfiguration(good)).toMatchObject({
      ethereumRpcUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
      ethereumConfirmations: 12,
      partnerConfirmations: 6,
      holdSeconds: 3_600,
      retireAfterMs: 3_600_000,
    });
  });

  it('names every variable that is missing or invalid in one line each, without its value', () => {
    const wrong = {
      ...good,
      ENVIRONMENT: 'moon',
      DATABASE_URL: 'hello',
      POLL_MS: 'soon',
      LEASE_MS: '',
      ETHEREUM_RPC_URLS: 'ftp://x',
      RELAYER_PRIVATE_KEY: undefined,
    };
    const [title, ...lines] = messageOf(wrong).split('\n');
    expect(title).toBe('Set these environment variables of the relayer (see --help):');
    expect(lines).toEqual([
      expect.stringMatching(/^ {2}ENVIRONMENT must be one of "local"\|"testnet"\|"mainnet"\. /),
      expect.stringMatching(/^ {2}DATABASE_URL must look like postgresql:\/\/user:password@host:5432\/database\. /),
      expect.stringMatching(/^ {2}ETHEREUM_RPC_URLS must be http:\/\/ or https:\/\/ URLs, separated by commas\. /),
      expect.stringMatching(/^ {2}RELAYER_PRIVATE_KEY is missing\. Private key of the relayer wallet/),
      expect.stringMatching(/^ {2}POLL_MS must be a number\. /),
    ]);
    for (const value of ['moon', 'hello', 'soon', 'ftp']) expect(lines.join()).not.toContain(value);
  });

  it('treats an empty variable as missing: an empty hold is not a hold of zero seconds', () => {
    expect(readConfiguration({ ...good, HOLD_SECONDS: '', LEASE_MS: '' })).toMatchObject({
      holdSeconds: 3_600,
      leaseMs: 15_000,
    });
    expect(messageOf({ ...good, DATABASE_URL: '' })).toContain('DATABASE_URL is missing');
  });

  it('names ADDRESS_BOOK when its file is missing, or not an address book', () => {
    expect(messageOf({ ...good, ADDRESS_BOOK: join(directory, 'none.json') })).toMatch(/^ADDRESS_BOOK .*ENOENT/);
    const other = join(directory, 'other.json');
    writeFileSync(other, '{}');
    expect(messageOf({ ...good, ADDRESS_BOOK: other })).toMatch(/^ADDRESS_BOOK .* is not an address book: [^\n]+$/);
  });

  it('rejects an address book of another environment, and a raw key outside the local profile', () => {
    expect(() => readConfiguration({ ...good, ENVIRONMENT: 'testnet' })).toThrow(/ENVIRONMENT is testnet/);
    const mainnet = join(directory, 'mainnet.json');
    writeFileSync(mainnet, JSON.stringify({ ...book, environment: 'mainnet' }));
    expect(() => readConfiguration({ ...good, ENVIRONMENT: 'mainnet', ADDRESS_BOOK: mainnet })).toThrow(
      /local profile only/,
    );
  });
});
