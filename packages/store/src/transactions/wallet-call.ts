import type { Address, Hex } from 'viem';
import {
  Prisma,
  type CallOperation,
  type SignedTransaction as SignedTransactionModel,
  type WalletCall as WalletCallModel,
} from '../generated/prisma/client.js';
import type { PayableRefund } from '../refunds/refund-payment.js';
import type { WaitingWithdrawals } from './retirement-evidence.js';
import type { Column, ColumnsOf } from '../sql/columns.js';
import { query } from '../sql/query.js';
import { columnsInSql, insertRows, rowsInSql } from '../sql/rows-in-sql.js';

/** The relayer wallet on a chain. */
export interface Wallet {
  readonly chainId: number;
  /** Lower-case. */
  readonly address: Address;
}

/** A transfer of native XCN that paid a final intent and is not in BridgeMint's float. */
export interface UnsweptTransfer {
  readonly operationId: Hex;
  /** The wallet that received it, lower-case. After a rotation, it can be the former wallet. */
  readonly wallet: Address;
  readonly txHash: Hex;
  readonly callIndex: number;
  readonly blockNumber: bigint;
  /** 18-decimal units. */
  readonly amount: bigint;
}

/** A signed transaction. Fees in wei per gas. */
export interface SignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly gas: bigint;
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
}

/** A signed transaction of the journal. `isCancellation`: an empty transaction that only uses the nonce. */
export interface JournalledTransaction extends SignedTransaction {
  readonly isCancellation: boolean;
  readonly createdAt: Date;
}

/** The parameters of a call on the chain. `value` in wei, as in RPC calls. */
interface CallTerms {
  readonly nonce: bigint;
  readonly to: Address;
  readonly data: Hex;
  readonly value: bigint;
}

/** A wallet call, which holds one nonce, with every transaction signed for it. */
export interface WalletCall extends CallTerms, Wallet {
  readonly id: bigint;
  readonly purpose: 'DELIVERY' | 'RETIREMENT' | 'SWEEP' | 'REFUND' | 'NONCE_GAP';
  readonly state: 'PENDING' | 'SUCCEEDED' | 'REVERTED' | 'CANCELLED' | 'TAKEN';
  readonly retirementId: bigint | null;
  readonly sweepId: bigint | null;
  readonly refundId: Hex | null;
  /** The operations that it pays or paid, in batch order. */
  readonly operationIds: readonly Hex[];
  /** Only an empty transaction is sent for its nonce. */
  readonly isCancelled: boolean;
  readonly createdAt: Date;
  /** Oldest first. Any of them can be mined. */
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

/** A signed call to journal. */
export interface NewCall extends CallTerms {
  readonly subject: CallSubject;
  readonly transaction: SignedTransaction;
}

/**
 * The final outcome of a call. `feePaid` in wei. `TAKEN`: another transaction outside the journal used the nonce, or
 * the wallet is a former one and no transaction of the call can pay.
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

const CALL = {
  chain_id: 'int',
  sender: 'text',
  nonce: 'bigint',
  to: 'text',
  data: 'text',
  value: 'numeric',
  purpose: '"CallPurpose"',
  retirement_id: 'bigint',
  sweep_id: 'bigint',
  refund_id: 'text',
} as const satisfies ColumnsOf<WalletCallModel, 'id' | 'state' | 'cancelledAt' | 'createdAt' | CallEnd>;

const LINK = { call_id: 'bigint', operation_id: 'text', position: 'int' } as const satisfies ColumnsOf<
  CallOperation,
  'freedAt'
>;

/** The columns that describe the end of a call. */
type CallEnd = 'txHash' | 'blockNumber' | 'blockHash' | 'feePaid' | 'endedAt';

/** The values of these columns while a call is pending. */
export const NOT_ENDED = {
  tx_hash: null,
  block_number: null,
  block_hash: null,
  fee_paid: null,
  ended_at: null,
} as const satisfies Record<Column<CallEnd>, null>;

const SIGNED = {
  tx_hash: 'text',
  call_id: 'bigint',
  raw: 'text',
  gas: 'bigint',
  max_fee_per_gas: 'bigint',
  max_priority_fee_per_gas: 'bigint',
  is_cancellation: 'boolean',
  created_at: 'timestamptz',
} as const satisfies ColumnsOf<SignedTransactionModel>;

/**
 * Inserts the calls and their transactions, each table in one statement.
 *
 * @returns the ids of the calls, in order; null when a nonce already has a call.
 */
export async function insertCalls(
  tx: Prisma.TransactionClient,
  wallet: Wallet,
  calls: readonly (NewCall & { readonly retirementId: bigint | null; readonly sweepId: bigint | null })[],
): Promise<bigint[] | null> {
  const rows = calls.map(({ nonce, to, data, value, subject, retirementId, sweepId }) => ({
    chain_id: wallet.chainId,
    sender: wallet.address,
    nonce: `${nonce}`,
    to: to.toLowerCase(),
    data,
    value: `${value}`,
    purpose: subject.purpose,
    retirement_id: retirementId?.toString() ?? null,
    sweep_id: sweepId?.toString() ?? null,
    refund_id: findRefundId(subject),
  }));
  const inserted = await query<{ id: string; nonce: string }>(tx)`
    INSERT INTO wallet_call (${columnsInSql(CALL)}) SELECT ${columnsInSql(CALL)} FROM ${rowsInSql(CALL, rows)}
    ON CONFLICT DO NOTHING RETURNING id, nonce`;
  if (inserted.length !== calls.length) return null;
  const ids = new Map(inserted.map(({ id, nonce }) => [BigInt(nonce), BigInt(id)]));
  const callIds = calls.map(({ nonce }) => ids.get(nonce) ?? 0n);
  const createdAt = new Date();
  const signed = calls.map(({ transaction, subject }, index) => ({
    tx_hash: transaction.hash,
    call_id: `${callIds[index]}`,
    raw: transaction.raw,
    gas: `${transaction.gas}`,
    max_fee_per_gas: `${transaction.maxFeePerGas}`,
    max_priority_fee_per_gas: `${transaction.maxPriorityFeePerGas}`,
    is_cancellation: subject.purpose === 'NONCE_GAP',
    created_at: createdAt,
  }));
  await insertRows(tx, 'signed_transaction', SIGNED, signed);
  return callIds;
}

/** Stores which operations the calls with these ids pay. */
export async function linkOperations(
  tx: Prisma.TransactionClient,
  calls: readonly NewCall[],
  ids: readonly bigint[],
): Promise<void> {
  const links = calls.flatMap(({ subject }, index) =>
    getOperationIds(subject).map((id, position) => ({ call_id: `${ids[index]}`, operation_id: id, position })),
  );
  if (links.length > 0) await insertRows(tx, 'call_operation', LINK, links);
}

/** The operations that a call of a subject pays, in batch order. */
export function getOperationIds(subject: CallSubject): readonly Hex[] {
  return subject.purpose === 'DELIVERY' ? subject.operationIds : [];
}

function findRefundId(subject: CallSubject): Hex | null {
  return subject.purpose === 'REFUND' ? subject.refundId : null;
}

/** The columns of a signed transaction. */
export function transactionRow(callId: bigint, { hash, ...rest }: SignedTransaction, isCancellation: boolean) {
  const { raw, gas, maxFeePerGas, maxPriorityFeePerGas } = rest;
  return { txHash: hash, callId, isCancellation, raw, gas, maxFeePerGas, maxPriorityFeePerGas };
}

/**
 * Whether the block of an outcome is on the stored branch. True for a block that is not stored: old ones are deleted.
 */
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
