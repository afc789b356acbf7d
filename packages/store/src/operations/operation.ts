import type { DelayReason, FailureReason, OperationStatus, OperationTerms } from '@causeway/protocol';
import type { Address, Hex } from 'viem';
import { Prisma, type Operation as OperationModel } from '../generated/prisma/client.js';
import { listColumns, type Column } from '../sql/columns.js';

export type { OperationKind, OperationTerms } from '@causeway/protocol';

/** The columns of an operation with the alias `o`. */
export const OPERATION_COLUMNS = listColumns(Prisma.OperationScalarFieldEnum, 'o');

/** The position of an operation on its origin chain. */
export interface OriginRecord {
  readonly txHash: Hex;
  /** Log index of the event; null for a native transfer, which has none. */
  readonly logIndex: number | null;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

/** The final delivery of an operation, from its Mint or Release event. */
interface SettlementRecord {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly settledAt: Date;
  readonly credited: boolean;
}

/** One transfer across the bridge, as stored. */
export interface Operation extends OperationTerms {
  readonly status: OperationStatus;
  readonly origin: OriginRecord | null;
  readonly originConfirmations: number;
  readonly finalizedAt: Date | null;
  /** The end of a withdrawal's hold, by the later of both clocks. */
  readonly holdUntil: Date | null;
  readonly holdReleasedAt: Date | null;
  readonly delayedReason: DelayReason | null;
  /** When the current delay began, by the relayer's clock; null while the status is not DELAYED. */
  readonly delayedSince: Date | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly destinationTxHash: Hex | null;
  readonly settlement: SettlementRecord | null;
  readonly failureReason: FailureReason | null;
  /** The refund of a FAILED operation. */
  readonly refundId: Hex | null;
  readonly expiredAt: Date | null;
  /** The expected completion, quoted when it began; null when none was quoted. It never changes. */
  readonly quotedCompletionAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** A stored block. `timestamp` is chain time. */
export interface BlockRecord {
  readonly number: bigint;
  readonly hash: Hex;
  readonly timestamp: Date;
}

/** A row of `operation` as the driver returns it: numeric and bigint columns as strings, times as `Date`. */
export type OperationRow = {
  readonly [Field in keyof OperationModel as Column<Field>]: OperationModel[Field] extends
    bigint | Prisma.Decimal | null
    ? string | Extract<OperationModel[Field], null>
    : OperationModel[Field];
};

/** Converts a row to an operation. */
export function toOperation(row: OperationRow): Operation {
  return {
    id: row.id as Hex,
    kind: row.kind,
    direction: row.direction,
    asset: row.asset,
    status: row.status,
    amount: BigInt(row.amount),
    fee: BigInt(row.fee),
    feeBps: row.fee_bps,
    outputAmount: BigInt(row.output_amount),
    sender: row.sender as Address,
    recipient: row.recipient as Address,
    originChainId: row.origin_chain_id,
    destinationChainId: row.destination_chain_id,
    originNonce: row.origin_nonce === null ? null : BigInt(row.origin_nonce),
    origin:
      row.origin_tx_hash === null || row.origin_block_number === null || row.origin_block_hash === null
        ? null
        : {
            txHash: row.origin_tx_hash as Hex,
            logIndex: row.origin_log_index,
            blockNumber: BigInt(row.origin_block_number),
            blockHash: row.origin_block_hash as Hex,
          },
    originConfirmations: row.origin_confirmations,
    requiredConfirmations: row.required_confirmations,
    finalizedAt: row.finalized_at,
    holdUntil: findHoldEnd(row),
    holdReleasedAt: row.hold_released_at,
    delayedReason: row.delayed_reason,
    delayedSince: row.delayed_since,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    destinationTxHash: row.destination_tx_hash as Hex | null,
    settlement:
      row.settled_at === null || row.settled_block_number === null || row.destination_tx_hash === null
        ? null
        : {
            txHash: row.destination_tx_hash as Hex,
            blockNumber: BigInt(row.settled_block_number),
            settledAt: row.settled_at,
            credited: row.settled_credited ?? false,
          },
    failureReason: row.failure_reason,
    refundId: row.refund_id as Hex | null,
    expiredAt: row.expired_at,
    quotedCompletionAt: row.quoted_completion_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** The later end by the chain's clock, and by the database's clock since the origin was first seen as final. */
function findHoldEnd({ finalized_at: finalizedAt, hold_until: until, final_since: since }: OperationRow): Date | null {
  if (finalizedAt === null || until === null || since === null) return until;
  return new Date(Math.max(until.getTime(), since.getTime() + until.getTime() - finalizedAt.getTime()));
}
