import { fromProvider, type Side, type Wallet } from '@causeway/sdk';
import { useMemo } from 'react';
import { http } from 'viem';
import type { Settings } from '../settings/settings.js';
import { makeChain } from './chains.js';
import type { WalletState } from './session.js';

/** The connected wallet for the SDK; null without one. Only lazy parts of the page load this code. */
export function useSdkWallet({ provider, account }: WalletState): Wallet | null {
  return useMemo(
    () => (provider === null || account === null ? null : fromProvider(provider, account)),
    [provider, account],
  );
}

/** Reads as an account from the host's node, on whatever chain the wallet is. It signs nothing. */
export function readAs(settings: Settings, side: Side, account: `0x${string}`): Wallet {
  const { request } = http(settings[side].rpcUrls[0])({ chain: makeChain(settings, side), retryCount: 0 });
  return fromProvider({ request }, account);
}
