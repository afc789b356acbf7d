import { getToken, type AddressBook } from '@causeway/protocol';
import type { Fence, Store } from '@causeway/store';
import { eachChain, type BridgeChains } from '../../bridge-chain.js';
import { failUnmatched } from '../../stages/refund/fail-arrivals.js';

/** A rebuild fills an empty database. A reconciliation compares one with data, beside which another relayer may run. */
export type RestoreMode = 'rebuild' | 'reconcile';

/**
 * Creates a FAILED operation with its refund for final transfers that pay no intent, and completes the refunds that
 * BridgeMint shows as paid. Call it after all released intents are restored. Operators' approvals are on no chain.
 * `UnjournaledPayments` finds a refund paid on Ethereum once it is approved again.
 *
 * @param mode a rebuild fails all these transfers. A reconciliation only fails those whose refund was paid: a relayer
 *   that still runs may release the intents of the others.
 * @throws QuorumError
 */
export async function restoreRefunds(
  store: Pick<Store, 'refunds' | 'restore'>,
  chains: BridgeChains,
  book: AddressBook,
  fence: Fence,
  mode: RestoreMode,
): Promise<{ readonly restored: number; readonly warnings: readonly string[] }> {
  for (const chain of eachChain(chains)) {
    const paid = mode === 'rebuild' ? null : await store.restore.unknownRefunds(chain.chainId);
    if (paid?.size === 0) continue;
    let failed = 1;
    while (failed > 0) failed = (await failUnmatched(store, fence, chain, chains, paid)).length;
  }
  const warnings: string[] = [];
  let restored = 0;
  const { chainId, confirmations, finality } = chains.partner;
  const final = (await finality.recentHead()) - BigInt(confirmations) + 1n;
  for (const paidRefund of await store.restore.paidRefunds(chainId, final)) {
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
    if (await store.restore.restoreRefund(fence, paidRefund)) restored++;
    if (recipient !== refund.payer)
      warnings.push(`${paid} to ${recipient}, not to its payer ${refund.payer}: compare it with your approvals.`);
  }
  return { restored, warnings };
}
