import { numberToHex, type Chain } from 'viem';
import { hasCode } from '../causes.js';
import { WrongNetworkError } from '../errors.js';
import { pause } from '../pause.js';
import { askWallet } from './ask.js';
import type { Wallet } from './wallet.js';

/** The wallet does not know the chain (EIP-3326). */
const UNKNOWN_CHAIN = 4902;
/** Polls for the new chain, because wallets answer before they have switched. */
const MOST_LOOKS = 10;
const LOOK_MS = 200;

/**
 * Switches a wallet with a window to a chain, and adds the chain if the wallet does not know it. A wallet already on
 * the chain is not asked.
 *
 * @param chain a viem chain, such as `mainnet` of `viem/chains`, or `definePartnerChain` with your own node. The wallet
 *   adopts its nodes, so they never come from the API.
 * @throws WalletRefusedError; WrongNetworkError if the wallet does not switch.
 */
export async function switchChain(wallet: Wallet, chain: Chain): Promise<void> {
  const { id } = chain;
  if ((await readChainId(wallet)) === id) return;
  const parameter = [{ chainId: numberToHex(id) }];
  const ask = async () => wallet.request('wallet_switchEthereumChain', parameter);
  try {
    await askWallet(`Switch to chain ${id}`, ask);
  } catch (error) {
    if (!hasCode(error, UNKNOWN_CHAIN)) throw error;
    await askWallet(`Add chain ${id}`, async () => wallet.request('wallet_addEthereumChain', [describeChain(chain)]));
    if ((await readChainId(wallet)) !== id) await askWallet(`Switch to chain ${id}`, ask);
  }
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    if ((await readChainId(wallet)) === id) return;
    await pause(LOOK_MS);
  }
  throw new WrongNetworkError(id, await readChainId(wallet));
}

/** The parameter of `wallet_addEthereumChain` (EIP-3085). */
function describeChain({ id, name, nativeCurrency, rpcUrls, blockExplorers }: Chain) {
  return {
    chainId: numberToHex(id),
    chainName: name,
    nativeCurrency,
    rpcUrls: rpcUrls.default.http,
    blockExplorerUrls: blockExplorers === undefined ? null : [blockExplorers.default.url],
  };
}

async function readChainId(wallet: Wallet): Promise<number> {
  return Number(await wallet.request('eth_chainId'));
}
