import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import type { ConfigurationError } from '@causeway/service/configuration';
import { anAddressBook, testKey } from '@causeway/test-kit';
import { readConfiguration } from './configuration.js';

const folder = mkdtempSync(join(tmpdir(), 'watchtower-configuration-'));
afterAll(() => rmSync(folder, { recursive: true }));
const write = (name: string, book: object) => {
  writeFileSync(join(folder, name), JSON.stringify(book));
  return join(folder, name);
};
const book = anAddressBook();
const mainnetBook = {
  ...book,
  environment: 'mainnet',
  ethereum: { ...book.ethereum, chainId: 1 },
  partner: { ...book.partner, chainId: 327 },
};
const local = {
  ENVIRONMENT: 'local',
  ADDRESS_BOOK: write('book.json', book),
  PAUSER_PRIVATE_KEY: testKey(9),
  ETHEREUM_RPC_URLS: 'own=http://127.0.0.1:9',
  PARTNER_RPC_URLS: 'own=http://127.0.0.1:9',
};
const nodes = 'one=https://a.example,two=https://b.example';
const keystore = { PAUSER_KEYSTORE: '/nowhere', PAUSER_KEYSTORE_PASSWORD_FILE: '/nowhere' };
const mainnet = {
  ENVIRONMENT: 'mainnet',
  ADDRESS_BOOK: write('mainnet.json', mainnetBook),
  ...keystore,
  ETHEREUM_RPC_URLS: nodes,
  PARTNER_RPC_URLS: nodes,
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
  it('accepts two nodes of two organisations on mainnet, and one node in local', () => {
    expect(readConfiguration(mainnet)).toMatchObject({
      chains: { ethereum: { quorum: 2, confirmations: 12 }, partner: { quorum: 2, confirmations: 6 } },
      pauser: { kind: 'keystore' },
      maxFeePerGas: 500_000_000_000n,
    });
    expect(readConfiguration(local)).toMatchObject({ chains: { partner: { quorum: 1 } }, pauser: { kind: 'raw' } });
  });

  it.each<readonly [string, Readonly<Record<string, string>>, string]>([
    ['one node', { PARTNER_RPC_URLS: 'one=https://a.example' }, 'PARTNER_RPC_URLS must have at least 2 nodes of 2'],
    ['one organisation', { ETHEREUM_RPC_URLS: nodes.replace('two', 'one') }, 'ETHEREUM_RPC_URLS must have at least 2'],
    ['a quorum of one', { ETHEREUM_QUORUM: '1' }, 'ETHEREUM_QUORUM must be more than half of the 2 nodes'],
    ['a raw key', { PAUSER_PRIVATE_KEY: testKey(9) }, 'PAUSER_PRIVATE_KEY is allowed only in the environment local'],
    ['no key', { PAUSER_KEYSTORE: '' }, 'PAUSER_KEYSTORE and PAUSER_KEYSTORE_PASSWORD_FILE are needed'],
  ])('refuses on mainnet %s', (_, change, start) => {
    expect(refuse({ ...mainnet, ...change })).toEqual([expect.stringContaining(start)]);
  });

  it('refuses two keys', () => {
    expect(refuse({ ...local, ...keystore })).toEqual([
      'PAUSER_PRIVATE_KEY and PAUSER_KEYSTORE are both set: unset one of them',
    ]);
  });
});
