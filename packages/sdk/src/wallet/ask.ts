import { isAddressEqual, type Address } from 'viem';
import { WalletFailedError, WalletRefusedError, WrongAccountError, WrongNetworkError } from '../errors.js';
import { waitUnlessAborted } from '../pause.js';
import { askNode, readChainId } from './node.js';
import { isRefusal } from './refusals.js';
import type { Wallet } from './wallet.js';

/**
 * Verifies that a wallet is on a chain and uses an account.
 *
 * @throws WrongNetworkError, WrongAccountError
 */
export async function assertWallet(wallet: Wallet, chainId: number, account: Address): Promise<void> {
  if (!isAddressEqual(wallet.account, account)) throw new WrongAccountError(account, wallet.account);
  const [accounts] = await Promise.all([
    // A key always has the same account; a wallet with a window can switch.
    wallet.keepsNonce ? [account] : (askNode(wallet, 'eth_accounts', [], Array.isArray) as Promise<Address[]>),
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
  const actual = await readChainId(wallet);
  if (actual !== chainId) throw new WrongNetworkError(chainId, actual);
}

/** Options of a request to a wallet. */
interface AskOptions {
  readonly signal?: AbortSignal | undefined;
  /** Returns whether an error is a refusal. The default, {@link isRefusal}, suffices for requests that send nothing. */
  readonly isRefused?: (error: unknown) => boolean | Promise<boolean>;
}

/**
 * Makes a request to a wallet and classifies its failure. A wallet may never answer.
 *
 * @throws WalletRefusedError if it certainly did nothing, otherwise WalletFailedError; the reason of the signal.
 */
export async function askWallet<T>(step: string, ask: () => Promise<T>, options: AskOptions = {}): Promise<T> {
  const { signal, isRefused = isRefusal } = options;
  signal?.throwIfAborted();
  try {
    return await waitUnlessAborted(signal, ask());
  } catch (error) {
    signal?.throwIfAborted();
    throw (await isRefused(error)) ? new WalletRefusedError(step, error) : new WalletFailedError(step, error);
  }
}
