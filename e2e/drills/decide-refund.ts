import { refundResponseSchema } from '@causeway/protocol/rest';
import { waitUntil } from '@causeway/test-kit';
import type { Environment } from '@causeway/testbed';
import type { SentOperation } from '../chaos/operation.ts';
import type { Traffic } from './traffic.ts';

/** Two operators approve the refund of a mistake, and the relayer pays it. */
export async function decideRefund(environment: Environment, traffic: Traffic, mistake: SentOperation): Promise<void> {
  const { refundId } = await traffic.ended(mistake);
  if (refundId === null) throw new Error(`${mistake.originTxHash} has no refund`);
  const { firstOperator, secondOperator } = environment.accounts;
  for (const operator of [firstOperator, secondOperator]) {
    const { code, output } = await environment.operatorCommand(operator, 'refund', 'approve', refundId);
    if (code !== 0) throw new Error(`The refund was not approved: ${output}`);
  }
  const paid = await waitUntil('the refund is paid', async () => {
    const { status, payment } = await traffic.user.get(`/bridge/refunds/${refundId}`, refundResponseSchema);
    return status === 'COMPLETED' ? payment : null;
  });
  traffic.refunds.set(mistake.originTxHash, { id: refundId, paid: BigInt(paid.amount) });
}
