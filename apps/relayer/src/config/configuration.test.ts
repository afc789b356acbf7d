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

describe('readConfiguration', () => {
  it('takes the defaults of the specification', () => {
    expect(readConfiguration(good)).toMatchObject({
      ethereumRpcUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:2'],
      ethereumConfirmations: 12,
      partnerConfirmations: 6,
      holdSeconds: 3_600,
      retireAfterMs: 3_600_000,
    });
  });

  it('names everything that is missing or wrong, at once', () => {
    const wrong = { ...good, DATABASE_URL: undefined, POLL_MS: 'soon', ETHEREUM_RPC_URLS: 'ftp://x' };
    for (const name of ['DATABASE_URL', 'POLL_MS', 'ETHEREUM_RPC_URLS'])
      expect(() => readConfiguration(wrong)).toThrow(new RegExp(name));
  });

  it('refuses a book of another environment, and a raw key anywhere but on one machine', () => {
    expect(() => readConfiguration({ ...good, ENVIRONMENT: 'testnet' })).toThrow(/ENVIRONMENT is testnet/);
    const mainnet = join(directory, 'mainnet.json');
    writeFileSync(mainnet, JSON.stringify({ ...book, environment: 'mainnet' }));
    expect(() => readConfiguration({ ...good, ENVIRONMENT: 'mainnet', ADDRESS_BOOK: mainnet })).toThrow(
      /local profile only/,
    );
  });
});
