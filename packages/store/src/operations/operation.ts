import type { Asset, Direction, OperationStatus } from '@causeway/protocol';
import type { Address, Hex } from 'viem';

/** How an operation begins: a Deposit event, a Withdraw event of a burn, or a signed intent for native XCN. */
export type OperationKind = 'DEPOSIT' | 'BURN' | 'INTENT';

/** The terms of an operation, fixed when it begins. Amounts in atomic units; `outputAmount` = `amount` - `fee`. */
export interface OperationTerms {
  readonly id: Hex;
  readonly kind: OperationKind;
  readonly direction: Direction;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly feeBps: number;
  readonly outputAmount: bigint;
  readonly sender: Address;
  readonly recipient: Address;
  readonly originChainId: number;
  readonly destinationChainId: number;
  /** The number given by the origin contract; null for intents. */
  readonly originNonce: bigint | null;
  readonly requiredConfirmations: number;
}

/** Where on the origin chain the operation was seen. */
export interface OriginRecord {
  readonly txHash: Hex;
  /** Position of the event in its block; null for a native transfer, which has none. */
  readonly logIndex: number | null;
  readonly blockNumber: bigint;
  readonly blockHash: Hex;
}

/** How the operation was delivered, from the Mint or Release event that is final. */
export interface SettlementRecord {
  readonly txHash: Hex;
  readonly blockNumber: bigint;
  readonly settledAt: Date;
  readonly claimable: boolean;
}

/** One transfer across the bridge, as stored. */
export interface Operation extends OperationTerms {
  readonly status: OperationStatus;
  readonly origin: OriginRecord | null;
  readonly originConfirmations: number;
  readonly finalizedAt: Date | null;
  readonly holdUntil: Date | null;
  readonly holdReleasedAt: Date | null;
  readonly delayedReason: string | null;
  readonly attempts: number;
  readonly nextAttemptAt: Date | null;
  readonly destinationTxHash: Hex | null;
  readonly settlement: SettlementRecord | null;
  readonly failureReason: string | null;
  readonly expiredAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
