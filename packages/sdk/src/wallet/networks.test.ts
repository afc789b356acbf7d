import { expect, it } from '@jest/globals';
import { definePartnerChain } from '@causeway/protocol';
import { numberToHex } from 'viem';
import { switchChain } from './networks.js';
import type { Wallet } from './wallet.js';

const CHAIN = definePartnerChain({ environment: 'testnet', rpcUrl: 'https://own.example' });

it('a wallet that does not know the chain gets the nodes of the caller', async () => {
  const asked: unknown[] = [];
  let chainId = 1;
  const request: Wallet['request'] = async (method, [parameter] = []) => {
    if (method === 'eth_chainId') return numberToHex(chainId);
    asked.push(parameter);
    if (method === 'wallet_switchEthereumChain') throw Object.assign(new Error('unknown'), { code: 4902 });
    chainId = CHAIN.id;
    return null;
  };
  await switchChain({ request } as Wallet, CHAIN);
  expect(asked).toEqual([
    { chainId: '0x22c5' },
    {
      chainId: '0x22c5',
      chainName: 'Partner chain testnet',
      nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
      rpcUrls: ['https://own.example'],
      blockExplorerUrls: null,
    },
  ]);
});
