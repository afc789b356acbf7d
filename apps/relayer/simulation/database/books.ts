import type { BalanceDifference, Refund, WalletState } from '@causeway/store';
import type { CallRow, CursorRow, DustRow, OperationRow, TransferRow } from '../store/rows.ts';

/** The rows of a table, as the invariants read them. A row that has not changed stays the same object. */
export interface ReadRows<R> {
  readonly all: () => Iterable<R>;
  readonly filter: (matches: (row: R) => boolean) => R[];
  readonly find: (matches: (row: R) => boolean) => R | undefined;
}

/** The part of an operation that the invariants read. */
export type OperationBook = Pick<
  OperationRow,
  'id' | 'kind' | 'status' | 'holdUntil' | 'originBlockHash' | 'delayedReason'
>;
/** The part of a call. */
export type CallBook = Pick<CallRow, 'id' | 'chainId' | 'value' | 'nonce' | 'state' | 'refundId'> & {
  readonly transactions: readonly { readonly hash: string }[];
};
/** The part of a cursor. */
export type CursorBook = Pick<CursorRow, 'chainId' | 'nextBlock' | 'haltedReason' | 'deliveriesHaltedReason'>;
/** The part of a transfer to the wallet. */
export type TransferBook = Pick<TransferRow, 'chainId' | 'txHash' | 'asset' | 'callIndex' | 'payer' | 'amount'>;
/** Dust that the bridge keeps. */
export type DustBook = Pick<DustRow, 'chainId' | 'asset' | 'amount'>;
/** The part of a refund. */
export type RefundBook = Pick<Refund, 'id' | 'chainId' | 'asset' | 'payer' | 'amount' | 'status' | 'payment'>;
/** The state of a wallet at a block. */
export type AuditBook = Pick<WalletState, 'blockNumber' | 'balance'> & { readonly chainId: number };
/** A difference of the wallet's account, and why. */
export type DifferenceBook = Pick<BalanceDifference, 'chainId' | 'blockNumber' | 'amount'> & {
  readonly explanation: string | null;
};

/** The rows of a database, as far as the invariants read them. */
export interface Books {
  readonly operations: ReadRows<OperationBook>;
  readonly calls: ReadRows<CallBook>;
  readonly cursors: ReadRows<CursorBook>;
  readonly transfers: ReadRows<TransferBook>;
  readonly dust: ReadRows<DustBook>;
  readonly refunds: ReadRows<RefundBook>;
  readonly audits: ReadRows<AuditBook>;
  readonly differences: ReadRows<DifferenceBook>;
  /** The methods that wrote for a process that has lost the lease. */
  readonly staleWrites: readonly string[];
}
