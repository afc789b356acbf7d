import { describe, expect, it } from '@jest/globals';
import { parseSettings, SettingsError } from './settings.js';

const address = `0x${'1'.repeat(40)}`;
const deployment = { chainId: 1, deployedAtBlock: 0, tokens: { USDC: address } };
const chain = { name: 'A', rpcUrls: ['http://127.0.0.1:1'], confirmations: 1 };
const right = {
  apiUrl: '/api/v1',
  addressBook: {
    environment: 'testnet',
    ethereum: { ...deployment, bridgeLock: address },
    partner: { ...deployment, bridgeMint: address },
    relayer: address,
  },
  ethereum: chain,
  partner: chain,
  holdSeconds: 0,
};
const testWallets = [{ name: 'Alice', privateKey: `0x${'1'.repeat(64)}` }];

function listProblems(changes: object): readonly string[] {
  try {
    parseSettings({ ...right, ...changes });
    return [];
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
}

describe('settings', () => {
  it('are accepted with the required fields', () => {
    expect(parseSettings(right)).toEqual(right);
  });

  it.each([
    ['apiUrl', { apiUrl: 'api' }],
    ['apiUrl', { apiUrl: '//evil.example' }],
    ['addressBook', { addressBook: null }],
    ['addressBook.relayer', { addressBook: { ...right.addressBook, relayer: '0x12' } }],
    ['ethereum.rpcUrls', { ethereum: { ...chain, rpcUrls: [] } }],
    ['partner.rpcUrls[0]', { partner: { ...chain, rpcUrls: ['javascript:alert(1)'] } }],
    ['partner.explorer.transactionUrl', { partner: { ...chain, explorer: { name: 'E', transactionUrl: 'http://e' } } }],
    ['holdSeconds', { holdSeconds: '3600' }],
    ['walletModules[0].module', { walletModules: [{ name: 'W', module: 'https://evil.example/w.js' }] }],
    ['testWallets[0].privateKey', { testWallets: [{ name: 'Alice', privateKey: '0x1' }] }],
  ])('refuse a wrong %s', (field, changes) => {
    expect(listProblems(changes)).toEqual([expect.stringContaining(field)]);
  });

  it('refuse test wallets outside the environment local', () => {
    expect(listProblems({ testWallets })).toEqual([expect.stringContaining('testWallets')]);
    const addressBook = { ...right.addressBook, environment: 'local' };
    expect(listProblems({ testWallets, addressBook })).toEqual([]);
  });

  it('name every wrong field', () => {
    expect(listProblems({ apiUrl: 1, holdSeconds: -1 })).toHaveLength(2);
  });
});
