import { isAddressEqual, type Address } from 'viem';
import { hasCode } from '../causes.js';
import { WalletFailedError, WalletRefusedError, WrongAccountError, WrongNetworkError } from '../errors.js';
import { waitUnlessAborted } from '../pause.js';
import { askNode } from './node.js';
import type { Wallet } from './wallet.js';

/** Codes of a refusal by the user or the wallet: EIP-1193 and ethers. */
const REFUSALS: readonly unknown[] = [4001, 4100, 'ACTION_REJECTED'];

/**
 * Verifies that a wallet is on a chain and uses an account.
 *
 * @throws WrongNetworkError, WrongAccountError
 */
export async function assertWallet(wallet: Wallet, chainId: number, account: Address): Promise<void> {
  if (!isAddressEqual(wallet.account, account)) throw new WrongAccountError(account, wallet.account);
  const [accounts] = await Promise.all([
    // A key always has the same account; a wallet with a window can switch.
    wallet.keepsNonce ? [account] : (askNode(wallet, 'eth_accounts') as Promise<Address[]>),
    assertChain(wallet, chainId),
  ]);
  if (!accounts.some((each) => isAddressEqual(each, account)))
    throw new WrongAccountError(account, accounts[0] ?? 'no account');
}

/** Verifies chain and account again before a window opens. A key has one account and signs for one chain. */
export async function assertUnchanged(wallet: Wallet, chainId: number, account: Address): Promise<void> {
  if (!wallet.keepsNonce) await assertWallet(wallet, chainId, account);
}

/**
 * Verifies that a wallet's node is on a chain, because nonces and receipts of another chain are meaningless.
 *
 * @throws WrongNetworkError
 */
export async function assertChain(wallet: Wallet, chainId: number): Promise<void> {
  const actual = Number(await askNode(wallet, 'eth_chainId'));
  if (actual !== chainId) throw new WrongNetworkError(chainId, actual);
}

/**
 * Makes a request to a wallet and classifies its failure. A wallet may never answer.
 *
 * @throws WalletRefusedError if it certainly did nothing, otherwise WalletFailedError; the reason of the signal.
 */
export async function askWallet<T>(step: string, ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  signal?.throwIfAborted();
  try {
    return await waitUnlessAborted(signal, ask());
  } catch (error) {
    signal?.throwIfAborted();
    throw hasCode(error, ...REFUSALS) ? new WalletRefusedError(step, error) : new WalletFailedError(step, error);
  }
}
