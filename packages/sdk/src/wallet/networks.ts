import type { ConfigResponse } from '@causeway/protocol';
import { numberToHex } from 'viem';
import { hasCode } from '../causes.js';
import { WrongNetworkError } from '../errors.js';
import { pause } from '../pause.js';
import { askWallet } from './ask.js';
import type { Wallet } from './wallet.js';

/** The wallet does not know the chain (EIP-3326). */
const UNKNOWN_CHAIN = 4902;
/** Wallets answer before they have switched. */
const MOST_LOOKS = 10;
const LOOK_MS = 200;

/**
 * Switches a wallet with a window to a chain of the bridge, and adds the chain to it where it is unknown. A wallet that
 * is there already is not asked.
 *
 * @throws WalletRefusedError; WrongNetworkError when the wallet stays elsewhere, or the chain is unknown to it and the
 *   bridge names no public JSON-RPC to add.
 */
export async function switchChain(wallet: Wallet, config: ConfigResponse, side: 'ethereum' | 'partner'): Promise<void> {
  const { chainId, walletChain } = config[side];
  if ((await readChainId(wallet)) === chainId) return;
  const parameter = [{ chainId: numberToHex(chainId) }];
  const ask = async () => wallet.request('wallet_switchEthereumChain', parameter);
  try {
    await askWallet(`Switch to chain ${chainId}`, ask);
  } catch (error) {
    if (walletChain === null || !hasCode(error, UNKNOWN_CHAIN)) throw error;
    await askWallet(`Add chain ${chainId}`, async () => wallet.request('wallet_addEthereumChain', [walletChain]));
    if ((await readChainId(wallet)) !== chainId) await askWallet(`Switch to chain ${chainId}`, ask);
  }
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    if ((await readChainId(wallet)) === chainId) return;
    await pause(LOOK_MS);
  }
  throw new WrongNetworkError(chainId, await readChainId(wallet));
}

async function readChainId(wallet: Wallet): Promise<number> {
  return Number(await wallet.request('eth_chainId'));
}
