import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ConfigurationError } from '@causeway/service/configuration';
import { anAddressBook, testAccount, testKey } from '@causeway/test-kit';
import { readConfiguration } from './configuration.js';

const folder = mkdtempSync(join(tmpdir(), 'attester-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));
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

/** The problems of invalid variables. */
const refuse = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    readConfiguration(env);
  } catch (error) {
    return (error as ConfigurationError).problems;
  }
  return [];
};

describe('readConfiguration', () => {
  it('accepts the minimum for mainnet', () => {
    expect(readConfiguration(mainnet)).toMatchObject({
      chains: { ethereum: { quorum: 2, confirmations: 12 }, partner: { quorum: 2, confirmations: 6 } },
      verifier: { holdSeconds: 3_600, operators: { needed: 2 } },
      validitySeconds: 600,
      exchangeUrls: ['https://exchange.example'],
    });
    expect(readConfiguration(mainnet).limits.get('USDC')).toEqual({ hour: 2_000_000n, delivery: 1_000_000n });
  });

  it('accepts one node in local', () => {
    expect(readConfiguration(local)).toMatchObject({ chains: { ethereum: { quorum: 1 } }, validitySeconds: 600 });
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['nodes of one organisation', { ETHEREUM_RPC_URLS: nodes.replace('two', 'one') }, 'ETHEREUM_RPC_URLS must have at'],
    ['two nodes', { PARTNER_RPC_URLS: 'one=https://a.example,two=https://b.example' }, 'PARTNER_RPC_URLS must have at'],
    ['a quorum of half', { ETHEREUM_QUORUM: '1' }, 'ETHEREUM_QUORUM must be more than half of the 3 nodes'],
    ['an open exchange', { EXCHANGE_URLS: 'http://exchange.example' }, 'EXCHANGE_URLS must be https:// addresses'],
    ['a shorter validity', { ATTEST_VALIDITY_SECONDS: '60' }, 'ATTEST_VALIDITY_SECONDS is for the environment local'],
    ['a raw key', { ATTESTER_PRIVATE_KEY: testKey(5) }, 'ATTESTER_PRIVATE_KEY is for the environment local only'],
    ['one operator', { OPERATORS_NEEDED: '1' }, 'OPERATORS_NEEDED must be at least 2'],
    ['a missing limit', { LIMITS_PER_HOUR: 'ETH=2,USDC=2' }, 'LIMITS_PER_HOUR must have a limit of each asset'],
  ])('refuses on mainnet %s', (_, change, start) => {
    expect(refuse({ ...mainnet, ...change })).toEqual([expect.stringContaining(start)]);
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['a node without a name', { ETHEREUM_RPC_URLS: 'http://127.0.0.1:9' }, 'ETHEREUM_RPC_URLS must be nodes such as'],
    [
      'a node named twice',
      { ETHEREUM_RPC_URLS: 'a=http://127.0.0.1:9/x,b=http://127.0.0.1:9/y,c=http://127.0.0.1:8' },
      'ETHEREUM_RPC_URLS names 127.0.0.1:9 twice',
    ],
    ['an unknown asset', { LIMITS_PER_HOUR: 'DOGE=2', LIMITS_PER_DELIVERY: 'ETH=1' }, 'LIMITS_PER_HOUR names DOGE'],
    [
      'limits of only one kind',
      { LIMITS_PER_HOUR: 'ETH=2' },
      'LIMITS_PER_HOUR and LIMITS_PER_DELIVERY must name the same',
    ],
    [
      'more operators than a refund can need',
      { OPERATORS_NEEDED: '3' },
      'OPERATORS_NEEDED must be a whole number from 1 to 2',
    ],
    ['too few operators', { OPERATORS: testAccount(7).address }, 'OPERATORS_NEEDED is 2, but OPERATORS has 1'],
    ['two signers', keystore, 'ATTESTER_SIGNER must say which signer to use'],
    [
      'a missing address book',
      { ADDRESS_BOOK: join(folder, 'none.json') },
      'ADDRESS_BOOK must be a readable JSON file',
    ],
  ])('refuses %s', (_, change, start) => {
    expect(refuse({ ...local, ...change })).toEqual([expect.stringContaining(start)]);
  });
});
