import type { AdminRole, RequestApproval, SignedRequest } from '@causeway/protocol/admin';
import type { Address, Hex } from 'viem';
import { endMemberSessions } from '../admin/session-repository.js';
import { Prisma, type AdminMember } from '../generated/prisma/client.js';
import { wake } from '../locks/wake-ups.js';
import { retryOperation } from '../operations/operation-repository.js';
import { endReconciliation, type NonceOf } from '../rebuild/reconciliation-repository.js';
import { approveRefund, refuseRefund } from '../refunds/refund-payment.js';
import {
  haltChain,
  haltDeliveries,
  liftDeliveries,
  liftHalt,
  type DeliveriesHalt,
  type Halt,
  type SeenEvent,
} from '../scan/halt-repository.js';
import { cancelCall } from '../transactions/journal-repository.js';
import { nameTransaction, type TransactionName } from '../transactions/unjournaled-repository.js';
import type { WalletCall } from '../transactions/wallet-call.js';
import { explainDifference } from '../watch/audit-repository.js';
import type { ColumnsOf } from '../sql/columns.js';
import { execute, sql } from '../sql/query.js';
import { columnsInSql, valuesInSql } from '../sql/rows-in-sql.js';

/** A change that an operator's request or command makes in the database. */
export type RequestEffect =
  | { readonly kind: 'retry'; readonly operationId: Hex }
  | { readonly kind: 'cancel'; readonly call: WalletCall }
  | { readonly kind: 'halt-chain'; readonly chainId: number; readonly reason: string }
  | { readonly kind: 'halt-deliveries'; readonly reason: string }
  /** `ancestor`: the last remaining block when the chain lost final blocks; null when it lost none. */
  | { readonly kind: 'resume-chain'; readonly halt: Halt; readonly ancestor: bigint | null }
  /** `looked`: the unknown deliveries to accept. */
  | { readonly kind: 'resume-deliveries'; readonly halt: DeliveriesHalt; readonly looked: readonly SeenEvent[] }
  | { readonly kind: 'approve-refund'; readonly refundId: Hex; readonly recipient: Address; readonly requestId: Hex }
  | { readonly kind: 'refuse-refund'; readonly refundId: Hex }
  | { readonly kind: 'reject-intent'; readonly intentId: Hex; readonly requestId: Hex }
  | { readonly kind: 'set-member'; readonly member: NewMember }
  | { readonly kind: 'remove-member'; readonly address: Address }
  | {
      readonly kind: 'explain';
      readonly chainId: number;
      readonly blockNumber: bigint;
      readonly explanation: string;
    }
  | { readonly kind: 'name-transaction'; readonly name: TransactionName }
  /** `known`: the wallets' next nonces that are accounted for. */
  | { readonly kind: 'finish-reconciliation'; readonly known: readonly NonceOf[] };

/** A member that a request adds, with its proof. */
interface NewMember {
  readonly address: Address;
  readonly role: AdminRole;
  readonly request: SignedRequest;
  readonly approvals: readonly RequestApproval[];
}

/**
 * Writes an effect in the caller's transaction, and wakes the relayers.
 *
 * @returns false when the state has changed and the effect does not apply; nothing is written then.
 * @throws HaltChangedError when the halt has changed.
 */
export async function applyEffect(tx: Prisma.TransactionClient, effect: RequestEffect): Promise<boolean> {
  await wake(tx, 'operator');
  switch (effect.kind) {
    case 'retry':
      return retryOperation(tx, effect.operationId);
    case 'cancel':
      return cancelCall(tx, effect.call);
    case 'halt-chain':
      return haltChain(tx, effect.chainId, effect.reason);
    case 'halt-deliveries':
      return haltDeliveries(tx, effect.reason);
    case 'resume-chain':
      await liftHalt(tx, effect.halt, effect.ancestor);
      return true;
    case 'resume-deliveries':
      await liftDeliveries(tx, effect.halt, effect.looked);
      return true;
    case 'approve-refund':
      return approveRefund(tx, effect.refundId, effect.recipient, effect.requestId);
    case 'refuse-refund':
      return refuseRefund(tx, effect.refundId);
    case 'reject-intent': {
      const where = { id: effect.intentId, rejectedBy: null };
      return (await tx.intent.updateMany({ where, data: { rejectedBy: effect.requestId } })).count === 1;
    }
    case 'set-member':
      await setMember(tx, effect.member);
      return true;
    case 'remove-member':
      return removeMember(tx, effect.address);
    case 'explain':
      return explainDifference(tx, effect.chainId, effect.blockNumber, effect.explanation);
    case 'name-transaction':
      return nameTransaction(tx, effect.name);
    case 'finish-reconciliation':
      if ((await tx.reconciliation.count({ where: { endedAt: null } })) === 0) return false;
      await endReconciliation(tx, effect.known);
      return true;
  }
}

/** `created_at` is the database's time, as for sessions. A role change keeps it. */
async function setMember(tx: Prisma.TransactionClient, { address, role, request, approvals }: NewMember) {
  const { id, terms, decidedOn, reason, validUntil } = request;
  const signed = JSON.stringify({ id, terms, decidedOn, reason, validUntil });
  const approved = JSON.stringify(approvals.map(({ operator, signature }) => ({ operator, signature })));
  const granted = {
    role: sql`${role}::"AdminRole"`,
    request_id: id,
    request: sql`${signed}::jsonb`,
    approvals: sql`${approved}::jsonb`,
  };
  const row = { address, ...granted } satisfies ColumnsOf<AdminMember, 'createdAt'>;
  await execute(tx)`
    INSERT INTO admin_member ${valuesInSql(row)}
    ON CONFLICT (address) DO UPDATE SET (${columnsInSql(granted)}) = ROW (${Prisma.join(Object.values(granted))})`;
}

async function removeMember(tx: Prisma.TransactionClient, address: Address): Promise<boolean> {
  const { count } = await tx.adminMember.deleteMany({ where: { address } });
  if (count === 0) return false;
  await endMemberSessions(tx, address, { actor: null, role: null, sessionId: null });
  return true;
}
