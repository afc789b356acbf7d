import { formatAmount, isSignedByKey, operatorDecisionDigest, type OperatorDecision } from '@causeway/protocol';
import type { Refund, Store } from '@causeway/store';
import { isAddress, type Address, type Hex } from 'viem';
import { privateKeyToAccount, sign } from 'viem/accounts';
import type { OperatorSettings } from '../refund-variables.js';
import { CommandRefusedError, parseOperationId } from './command-context.js';

/** What a refund command uses: no node, and only the operator's own key. */
export interface OperatorContext {
  readonly store: Pick<Store, 'refunds' | 'operations' | 'reconcile'>;
  readonly settings: OperatorSettings;
  readonly print: (line: string) => void;
}

/** `relayer refund list`: prints the refunds that are not paid or refused, and what operators decided about each. */
export async function listRefunds({ store, settings, print }: OperatorContext): Promise<void> {
  const open = await store.refunds.findOpen();
  if (open.length === 0) return print('No refund is open.');
  const unmatched = await store.reconcile.transfersWithoutIntent();
  for (const refund of open) {
    const { id, status, asset, amount, payer, wallet, chainId, operationId } = refund;
    const operation = await store.operations.findById(operationId);
    print(`${id} ${status}: ${formatAmount(asset, amount)} ${asset} of ${payer} on chain ${chainId}`);
    print(`  ${operation?.failureReason ?? ''}, transaction ${operation?.origin?.txHash ?? ''} to ${wallet}`);
    for (const { operator, decision, signature } of await store.refunds.decisions(id)) {
      const isValid = await isSignedByKey(operatorDecisionDigest(settings.domain, decision), signature, operator);
      const isListed = settings.operators.includes(operator);
      const doubt = isValid && isListed ? '' : ' (does not count: not signed by a listed operator)';
      print(`  ${operator}: ${wordsOf(decision)}${doubt}`);
    }
    const paid = unmatched.find(({ refundId }) => refundId === id)?.maybePaidBy ?? [];
    if (paid.length > 0)
      print(`  CAREFUL: it may have been paid out as ${paid.join(' or ')}, which the database does not know`);
  }
}

/**
 * `relayer refund approve`: signs and stores an approval.
 *
 * @param recipient by default the payer.
 * @throws CommandRefusedError
 */
export async function approveRefund(context: OperatorContext, id: string, recipient?: string): Promise<void> {
  const refund = await findUnpaid(context, id);
  if (recipient !== undefined && !isAddress(recipient))
    throw new CommandRefusedError(`${recipient} is not an address: 0x and 40 hex digits, with the right checksum`);
  const to = (recipient ?? refund.payer).toLowerCase() as Address;
  await decide(context, { kind: 'APPROVE', refundId: refund.id, recipient: to, amount: refund.amount });
  const { asset, amount } = refund;
  context.print(`Approved: ${formatAmount(asset, amount)} ${asset}, less the gas, to ${to}.`);
  if (to !== refund.payer) context.print('That is not the payer: a second operator must name the same recipient.');
}

/**
 * `relayer refund refuse`: signs and stores a refusal.
 *
 * @throws CommandRefusedError
 */
export async function refuseRefund(context: OperatorContext, id: string): Promise<void> {
  const refund = await findUnpaid(context, id);
  await decide(context, { kind: 'REFUSE', refundId: refund.id });
  context.print('Refused. When as many operators as an approval needs have refused it, it is never paid.');
}

/**
 * `relayer reject`: signs and stores the rejection of an intent whose release has not begun.
 *
 * @throws CommandRefusedError
 */
export async function rejectIntent(context: OperatorContext, id: string): Promise<void> {
  const intentId = parseOperationId(id);
  const operation = intentId === null ? null : await context.store.operations.findById(intentId);
  if (operation?.kind !== 'INTENT') throw new CommandRefusedError(`There is no intent ${id}`);
  if (['COMPLETED', 'FAILED', 'EXPIRED', 'PROCESSING_DESTINATION'].includes(operation.status))
    throw new CommandRefusedError(`The intent is ${operation.status}: it cannot be rejected any more`);
  await decide(context, { kind: 'REJECT', intentId: operation.id });
  context.print('Rejected. When two operators have, and its transfer is final, it fails and its refund is requested.');
}

async function findUnpaid({ store }: OperatorContext, id: string): Promise<Refund> {
  const refundId = parseOperationId(id);
  const refund = refundId === null ? null : await store.refunds.find(refundId);
  if (refund === null) throw new CommandRefusedError(`There is no refund ${id}: see relayer refund list`);
  if (refund.status !== 'REQUESTED' && refund.status !== 'APPROVED')
    throw new CommandRefusedError(`The refund is ${refund.status}: nothing is left to decide`);
  return refund;
}

async function decide({ store, settings, print }: OperatorContext, decision: OperatorDecision): Promise<void> {
  const privateKey = await settings.openKey(print);
  const operator = privateKeyToAccount(privateKey).address.toLowerCase() as Address;
  if (!settings.operators.includes(operator))
    throw new CommandRefusedError(`${operator} is not among REFUND_OPERATORS: its decision would not count`);
  const hash = operatorDecisionDigest(settings.domain, decision);
  const signature: Hex = await sign({ hash, privateKey, to: 'hex' });
  await store.refunds.decide({ operator, decision, signature });
}

function wordsOf(decision: OperatorDecision): string {
  return decision.kind === 'APPROVE' ? `approves, to ${decision.recipient}` : 'refuses';
}
