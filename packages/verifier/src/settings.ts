import type { Address } from 'viem';
import type { Side } from './nodes/finality.js';
import type { Domain } from './digests/typed-data.js';

/** The address that stands for native coin. */
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
  /** Its admin and its guardian, whose events a ledger reads from the start. */
  readonly timelock?: Address;
  readonly sentinel?: Address;
}

/** The settings of a verifier, from its own file and never from the relayer. Addresses are lower-case. */
export interface VerifierSettings {
  /** BridgeLock. */
  readonly ethereum: BridgeSettings;
  /** BridgeMint. */
  readonly partner: BridgeSettings;
  readonly assets: readonly AssetSettings[];
  /** The hold of withdrawals, counted from the time of the origin's block, and from when it was first seen as final. */
  readonly holdSeconds: number;
  /** The hold uses only the chain's clock: for development chains, where tools move the chain's clock. */
  readonly isLocal: boolean;
  readonly operators: {
    readonly addresses: readonly Address[];
    /** How many operators must sign a refund. */
    readonly needed: number;
  };
}
