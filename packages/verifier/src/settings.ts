import type { Address } from 'viem';
import type { Side } from './nodes/finality.js';
import type { Domain } from './digests/typed-data.js';

/** The address of a coin, where a token has that of its contract. */
export const COIN: Address = '0x0000000000000000000000000000000000000000';

/** An asset with its tokens. */
export interface AssetSettings {
  /** Such as USDC. */
  readonly symbol: string;
  readonly decimals: number;
  readonly tokens: Readonly<Record<Side, Address>>;
}

/** A bridge contract, and the block of its deployment. */
export interface BridgeSettings extends Domain {
  readonly deployedAtBlock: bigint;
}

/** The settings of a verifier, from its own file: nothing of them comes from the relayer. Addresses in lower case. */
export interface VerifierSettings {
  /** BridgeLock. */
  readonly ethereum: BridgeSettings;
  /** BridgeMint. */
  readonly partner: BridgeSettings;
  readonly assets: readonly AssetSettings[];
  /** The hold of withdrawals: from the time of the origin's block, and from the moment it was first seen as final. */
  readonly holdSeconds: number;
  /** The hold goes by the chain's clock alone: for development chains, whose clock tools move. */
  readonly isLocal: boolean;
  readonly operators: {
    readonly addresses: readonly Address[];
    /** How many of them must sign a refund. */
    readonly needed: number;
  };
}
