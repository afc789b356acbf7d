import type { Address, Hex, TransactionReceipt } from 'viem';
import type { DeployTarget } from './deploy-target.js';

/**
 * Sends a transaction and waits until it is mined.
 *
 * @throws Error when it reverts, naming it by `what`.
 */
export async function sendAndWait(
  { wallet, client }: DeployTarget,
  what: string,
  transaction: { to: Address; data?: Hex; value?: bigint },
): Promise<TransactionReceipt> {
  const hash = await wallet.sendTransaction(transaction);
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 100 });
  if (receipt.status !== 'success') throw new Error(`${what} reverted in ${hash}`);
  return receipt;
}
