import { getToken, type AddressBook } from '@causeway/protocol';
import type { Fence, Store } from '@causeway/store';
import { eachChain, type BridgeChains } from '../../bridge-chain.js';
import { failUnmatched } from '../../stages/refund/fail-arrivals.js';

/**
 * Creates a FAILED operation with its refund for every final transfer that pays no intent, and completes the refunds
 * that BridgeMint shows as paid. Call it after all released intents are restored. Operators' approvals are on no chain.
 * `UnjournaledPayments` finds a refund paid on Ethereum once it is approved again.
 *
 * @returns warnings for operators.
 * @throws QuorumError
 */
export async function restoreRefunds(
  store: Pick<Store, 'refunds' | 'restore'>,
  chains: BridgeChains,
  book: AddressBook,
  fence: Fence,
): Promise<string[]> {
  for (const chain of eachChain(chains)) {
    let failed = 1;
    while (failed > 0) failed = (await failUnmatched(store, fence, chain, chains)).length;
  }
  const warnings: string[] = [];
  for (const paidRefund of await store.restore.paidRefunds(chains.partner.chainId)) {
    const { refund, token, recipient, amount, txHash } = paidRefund;
    const paid = `The refund ${refund.id} was paid in ${txHash}`;
    if (token !== getToken(book, 'partner', refund.asset).toLowerCase()) {
      warnings.push(`${paid} in the token ${token}, not in ${refund.asset}: it is not restored.`);
      continue;
    }
    if (amount > refund.amount) {
      warnings.push(`${paid} with ${amount}, more than the ${refund.amount} that arrived: it is not restored.`);
      continue;
    }
    await store.restore.restoreRefund(fence, paidRefund);
    if (recipient !== refund.payer)
      warnings.push(`${paid} to ${recipient}, not to its payer ${refund.payer}: compare it with your approvals.`);
  }
  return warnings;
}
