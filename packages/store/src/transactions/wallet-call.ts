import type { Address, Hex } from 'viem';
import { Prisma } from '../generated/prisma/client.js';
import type { PayableRefund } from '../refunds/refund-payment.js';
import type { WaitingWithdrawals } from './retirement-evidence.js';
import { execute, query } from '../sql/query.js';

/** The relayer wallet on a chain. */
export interface Wallet {
  readonly chainId: number;
  /** Lower-case. */
  readonly address: Address;
}

/** A transfer of native XCN that paid a final intent, and whose coin is not in the float of BridgeMint. */
export interface UnsweptTransfer {
  readonly operationId: Hex;
  /** The wallet that received it, in lower case: after a rotation, the former one. */
  readonly wallet: Address;
  readonly txHash: Hex;
  readonly callIndex: number;
  readonly blockNumber: bigint;
  /** 18-decimal units. */
  readonly amount: bigint;
}

/** A transaction as it was signed. Fees in wei per gas. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A signed transaction of the journal. `isCancellation`: it pays nothing and only uses up the nonce. */
export interface JournalledTransaction extends SignedTransaction {
  readonly isCancellation: boolean;
  readonly createdAt: Date;
}

/** The parameters of a call on the chain. `value` in wei of the RPC. */
interface CallTerms {
  readonly nonce: bigint;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** A call of the wallet, which holds one nonce, with every transaction that was signed for it. */
export interface WalletCall extends CallTerms, Wallet {
  readonly id: bigint;
  readonly purpose: 'DELIVERY' | 'RETIREMENT' | 'SWEEP' | 'REFUND' | 'NONCE_GAP';
  readonly state: 'PENDING' | 'SUCCEEDED' | 'REVERTED' | 'CANCELLED' | 'TAKEN';
  readonly retirementId: bigint | null;
  readonly sweepId: bigint | null;
  readonly refundId: Hex | null;
  /** The operations that it pays or paid, in their order in the batch. */
  readonly operationIds: readonly Hex[];
  /** Only a transaction that pays nothing is sent for its nonce. */
  readonly isCancelled: boolean;
  readonly createdAt: Date;
  /** Oldest first. Any one of them may be mined. */
  readonly transactions: readonly JournalledTransaction[];
}

/** The subject of a new call. */
export type CallSubject =
  /** Pays operations, in this order. */
  | { readonly purpose: 'DELIVERY'; readonly operationIds: readonly Hex[] }
  | { readonly purpose: 'RETIREMENT'; readonly waiting: WaitingWithdrawals }
  | { readonly purpose: 'SWEEP'; readonly transfers: readonly UnsweptTransfer[] }
  | ({ readonly purpose: 'REFUND' } & PayableRefund)
  | { readonly purpose: 'NONCE_GAP' };

/** A signed call to be journalled. */
export interface NewCall extends CallTerms {
  readonly subject: CallSubject;
  readonly transaction: SignedTransaction;
}

/**
 * How the nonce of a call was used, once that is final. `feePaid` in wei. `TAKEN`: by a transaction outside the
 * journal, or by none that could pay, since the wallet is a former one.
 */
export type CallOutcome =
  | {
      readonly state: 'SUCCEEDED' | 'REVERTED' | 'CANCELLED';
      readonly txHash: Hex;
      readonly block: { readonly number: bigint; readonly hash: Hex };
      readonly feePaid: bigint;
    }
  | { readonly state: 'TAKEN' };

/** The relations that a `WalletCall` needs. */
export const WITH_CALL = {
  transactions: { orderBy: [{ createdAt: 'asc' }, { maxFeePerGas: 'asc' }] },
  operations: { orderBy: { position: 'asc' } },
} as const satisfies Prisma.WalletCallInclude;

/** Converts a row with its relations. */
export function toWalletCall(row: Prisma.WalletCallGetPayload<{ include: typeof WITH_CALL }>): WalletCall {
  const { id, chainId, nonce, purpose, state, retirementId, sweepId, refundId, createdAt } = row;
  return {
    id,
    chainId,
    nonce,
    purpose,
    state,
    retirementId,
    sweepId,
    refundId: refundId as Hex | null,
    createdAt,
    address: row.sender as Address,
    to: row.to as Address,
    data: row.data as Hex,
    value: BigInt(row.value.toFixed(0)),
    isCancelled: row.cancelledAt !== null,
    operationIds: row.operations.map(({ operationId }) => operationId as Hex),
    transactions: row.transactions.map(({ txHash, raw, callId: _callId, ...rest }) => ({
      ...rest,
      hash: txHash as Hex,
      raw: raw as Hex,
    })),
  };
}

/**
 * Inserts the calls and their transactions, each table in one statement.
 *
 * @returns the ids of the calls, in their order; null when one of the nonces has a call.
 */
export async function insertCalls(
  tx: Prisma.TransactionClient,
  wallet: Wallet,
  calls: readonly (NewCall & { readonly retirementId: bigint | null; readonly sweepId: bigint | null })[],
): Promise<bigint[] | null> {
  const rows = await query<{ id: string; nonce: string }>(tx)`
    INSERT INTO wallet_call (chain_id, sender, nonce, "to", data, value, purpose, retirement_id, sweep_id, refund_id)
    SELECT ${wallet.chainId}, ${wallet.address}, nonce, "to", data, value, purpose::"CallPurpose", retirement_id, sweep_id, refund_id
    FROM unnest(${calls.map(({ nonce }) => nonce)}::bigint[], ${calls.map(({ to }) => to.toLowerCase())}::text[],
      ${calls.map(({ data }) => data)}::text[], ${calls.map(({ value }) => value.toString())}::numeric[],
      ${calls.map(({ subject }) => subject.purpose)}::text[], ${calls.map(({ retirementId }) => retirementId)}::bigint[],
      ${calls.map(({ sweepId }) => sweepId)}::bigint[], ${calls.map(({ subject }) => findRefundId(subject))}::text[])
      AS call (nonce, "to", data, value, purpose, retirement_id, sweep_id, refund_id)
    ON CONFLICT DO NOTHING RETURNING id, nonce`;
  if (rows.length !== calls.length) return null;
  const ids = new Map(rows.map(({ id, nonce }) => [BigInt(nonce), BigInt(id)]));
  const callIds = calls.map(({ nonce }) => ids.get(nonce) ?? 0n);
  const signed = calls.map(({ transaction }) => transaction);
  await execute(tx)`
    INSERT INTO signed_transaction (call_id, created_at, tx_hash, raw, gas, max_fee_per_gas, max_priority_fee_per_gas, is_cancellation)
    SELECT call_id, ${new Date()}, tx_hash, raw, gas, max_fee, max_tip, is_cancellation
    FROM unnest(${callIds}::bigint[], ${signed.map(({ hash }) => hash)}::text[], ${signed.map(({ raw }) => raw)}::text[],
      ${signed.map(({ gas }) => gas)}::bigint[], ${signed.map(({ maxFeePerGas }) => maxFeePerGas)}::bigint[],
      ${signed.map(({ maxPriorityFeePerGas }) => maxPriorityFeePerGas)}::bigint[],
      ${calls.map(({ subject }) => subject.purpose === 'NONCE_GAP')}::boolean[])
      AS signed (call_id, tx_hash, raw, gas, max_fee, max_tip, is_cancellation)`;
  return callIds;
}

function findRefundId(subject: CallSubject): Hex | null {
  return subject.purpose === 'REFUND' ? subject.refundId : null;
}

/** The columns of a signed transaction. */
export function transactionRow(callId: bigint, { hash, ...rest }: SignedTransaction, isCancellation: boolean) {
  const { raw, gas, maxFeePerGas, maxPriorityFeePerGas } = rest;
  return { txHash: hash, callId, isCancellation, raw, gas, maxFeePerGas, maxPriorityFeePerGas };
}

/** Whether no block that was read contradicts the one of an outcome. Old blocks are not stored any more. */
export async function isOnBranch(
  tx: Prisma.TransactionClient,
  chainId: number,
  outcome: CallOutcome,
): Promise<boolean> {
  if (outcome.state === 'TAKEN') return true;
  const { number, hash } = outcome.block;
  const row = await tx.chainBlock.findUnique({ where: { chainId_number: { chainId, number } } });
  return row === null || row.hash === hash;
}
