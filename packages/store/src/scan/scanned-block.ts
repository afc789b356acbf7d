import type { Asset, BridgeEvent } from '@causeway/protocol';
import type { Address, Hex } from 'viem';

/** A transfer to a relayer wallet: coin, or a token that no bridge event explains. `amount` in atomic units. */
export interface ScannedTransfer {
  readonly txHash: Hex;
  readonly asset: Asset;
  /** 0 for a plain transfer, the 1-based position in the call tree for an internal call, the log index for a token. */
  readonly callIndex: number;
  readonly payer: Address;
  /** The relayer wallet that received it. */
  readonly wallet: Address;
  /** The wallet was replaced before the transfer. Its key may be stolen, so the transfer pays no intent. */
  readonly isToFormerWallet: boolean;
  readonly amount: bigint;
  /** The data of the transfer if it is exactly 32 bytes; an intentId here names the intent to pay. */
  readonly memo: Hex | null;
}

/** The sum of one payer's transfers in a block that are too small for a refund. `amount` in atomic units. */
export interface ScannedDust {
  readonly wallet: Address;
  readonly asset: Asset;
  readonly payer: Address;
  readonly amount: bigint;
  /** How many transfers it sums up. */
  readonly transfers: number;
}

/** The bridge events and transfers of one block. */
export interface ScannedBlock {
  readonly number: bigint;
  readonly hash: Hex;
  readonly timestamp: Date;
  readonly events: readonly BridgeEvent[];
  readonly transfers: readonly ScannedTransfer[];
  readonly dust: readonly ScannedDust[];
}
