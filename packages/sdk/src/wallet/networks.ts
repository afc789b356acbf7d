import { numberToHex, type Chain } from 'viem';
import { hasCode } from '../causes.js';
import { WrongNetworkError } from '../errors.js';
import { pause } from '../pause.js';
import { TIMEOUT_MS, type ReadOptions } from '../read.js';
import { askWallet } from './ask.js';
import { limitReads, readChainId } from './node.js';
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
 * @throws WalletRefusedError; WalletFailedError; WrongNetworkError if the wallet does not switch; the reason of the
 *   signal.
 */
export async function switchChain(wallet: Wallet, chain: Chain, options: ReadOptions = {}): Promise<void> {
  const limited = limitReads(wallet, { timeoutMs: TIMEOUT_MS }, options);
  const { id } = chain;
  if ((await readChainId(limited)) === id) return;
  const parameter = [{ chainId: numberToHex(id) }];
  const ask = async () => wallet.request('wallet_switchEthereumChain', parameter);
  try {
    await askWallet(`Switch to ${chain.name}`, ask, options);
  } catch (error) {
    if (!hasCode(error, UNKNOWN_CHAIN)) throw error;
    const add = async () => wallet.request('wallet_addEthereumChain', [describeChain(chain)]);
    await askWallet(`Add ${chain.name}`, add, options);
    if ((await readChainId(limited)) !== id) await askWallet(`Switch to ${chain.name}`, ask, options);
  }
  for (let look = 1; look <= MOST_LOOKS; look += 1) {
    if ((await readChainId(limited)) === id) return;
    await pause(LOOK_MS, options);
  }
  throw new WrongNetworkError(id, await readChainId(limited));
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
