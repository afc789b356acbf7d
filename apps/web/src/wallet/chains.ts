import { defineEthereumChain, definePartnerChain, type Side } from '@causeway/sdk';
import type { Chain } from 'viem';
import type { Settings } from '../settings/settings.js';

/** A chain of the bridge with the host's name and nodes, for the wallet. */
export function makeChain(settings: Settings, side: Side): Chain {
  const { addressBook } = settings;
  const { name, rpcUrls, explorer } = settings[side];
  const define = side === 'ethereum' ? defineEthereumChain : definePartnerChain;
  const chain = define({ environment: addressBook.environment, rpcUrl: rpcUrls[0] ?? '' });
  return {
    ...chain,
    id: addressBook[side].chainId,
    name,
    rpcUrls: { default: { http: rpcUrls } },
    ...(explorer === undefined
      ? {}
      : { blockExplorers: { default: { name: explorer.name, url: new URL(explorer.transactionUrl).origin } } }),
  };
}

/** The side of a chain id; null for a chain that is not of the bridge. */
export function findSide({ addressBook }: Settings, chainId: number | null): Side | null {
  if (chainId === addressBook.ethereum.chainId) return 'ethereum';
  return chainId === addressBook.partner.chainId ? 'partner' : null;
}
