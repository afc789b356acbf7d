import { isAddressEqual, type Address } from 'viem';
import { hasCode } from '../causes.js';
import { WalletFailedError, WalletRefusedError, WrongAccountError, WrongNetworkError } from '../errors.js';
import { waitUnlessAborted } from '../pause.js';
import { askNode } from './node.js';
import type { Wallet } from './wallet.js';

/** Codes by which wallets say that their user, or they themselves, refused: EIP-1193, and ethers. */
const REFUSALS: readonly unknown[] = [4001, 4100, 'ACTION_REJECTED'];

/**
 * Makes sure that a wallet is on a chain and acts for an account.
 *
 * @throws WrongNetworkError, WrongAccountError
 */
export async function assertWallet(wallet: Wallet, chainId: number, account: Address): Promise<void> {
  if (!isAddressEqual(wallet.account, account)) throw new WrongAccountError(account, wallet.account);
  const [accounts] = await Promise.all([
    // A key is always the same account; a window may have switched.
    wallet.keepsNonce ? [account] : (askNode(wallet, 'eth_accounts') as Promise<Address[]>),
    assertChain(wallet, chainId),
  ]);
  if (!accounts.some((each) => isAddressEqual(each, account)))
    throw new WrongAccountError(account, accounts[0] ?? 'no account');
}

/** Compares again, before a window opens, what may have changed. A key has one account, and signs for one chain. */
export async function assertUnchanged(wallet: Wallet, chainId: number, account: Address): Promise<void> {
  if (!wallet.keepsNonce) await assertWallet(wallet, chainId, account);
}

/**
 * Makes sure that a wallet's node is on a chain: nonces and receipts of another chain say nothing about a transfer.
 *
 * @throws WrongNetworkError
 */
export async function assertChain(wallet: Wallet, chainId: number): Promise<void> {
  const actual = Number(await askNode(wallet, 'eth_chainId'));
  if (actual !== chainId) throw new WrongNetworkError(chainId, actual);
}

/**
 * Asks a wallet for something, and names what its failure means. A wallet may never answer.
 *
 * @throws WalletRefusedError when it certainly did nothing, WalletFailedError otherwise; the reason of the signal.
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
