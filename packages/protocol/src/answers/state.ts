import type { Asset, Direction } from '../assets.js';
import type { Side } from '../chains.js';

/**
 * Why no transfer of an asset should begin in a direction: the origin contract is paused; deliveries are paused;
 * operators halted a chain; a chain is unavailable or makes no blocks; the database is unavailable; no relayer is
 * running; the outflow limit is exhausted; or the destination holds no collateral or float.
 */
export const CLOSED_REASONS = [
  'PAUSED',
  'DELIVERIES_PAUSED',
  'CHAIN_HALTED',
  'CHAIN_AWAY',
  'DATABASE_AWAY',
  'RELAYER_AWAY',
  'LIMIT_REACHED',
  'FUNDS_SHORT',
] as const;
/** One of the reasons. */
export type ClosedReason = (typeof CLOSED_REASONS)[number];

/** Whether a part of the bridge works. */
export interface PartState {
  /** Whether it works. */
  readonly connected: boolean;
  /** Why it does not work, as a sentence; null while it works. */
  readonly problem: string | null;
}

/** The state of a chain. It is not connected while too few nodes agree, it makes no blocks, or operators halted it. */
export interface ChainState extends PartState {
  readonly chainId: number;
  /** The newest block that enough nodes have; null if unknown. */
  readonly newestBlock: {
    readonly number: number;
    /** ISO 8601 in UTC. */
    readonly time: string;
    readonly ageSeconds: number;
  } | null;
}

/** The attesters that a bridge contract names. */
export interface AttesterState {
  readonly members: number;
  /** Signatures that a delivery needs; 0 without attesters. */
  readonly needed: number;
}

/** Whether transfers of an asset can begin in a direction. Amounts in atomic units. */
export interface DirectionState {
  readonly asset: Asset;
  readonly direction: Direction;
  readonly open: boolean;
  /** Null while `open` is true. */
  readonly reason: ClosedReason | null;
  /** When it opens again, ISO 8601 in UTC; null if unknown. */
  readonly until: string | null;
  /** The outflow limit of the destination contract; null if unknown. `remaining`: less the pending operations. */
  readonly limit: {
    readonly capacity: string;
    readonly capacityFormatted: string;
    readonly remaining: string;
    readonly remainingFormatted: string;
  } | null;
}

/** The collateral and the supply of an asset. Amounts in atomic units, each null if unknown. */
export interface AssetState {
  readonly asset: Asset;
  /** Held by BridgeLock for users. */
  readonly locked: string | null;
  readonly lockedFormatted: string | null;
  /** Bridged to the partner chain and owed to holders. */
  readonly supply: string | null;
  readonly supplyFormatted: string | null;
  /** Native coin that BridgeMint can deliver; null also for an asset without a float. */
  readonly float: string | null;
  readonly floatFormatted: string | null;
  /** Whether `locked` is at least `supply`; null if unknown. */
  readonly isCovered: boolean | null;
}

/** A change of a bridge contract that its timelock has announced and not executed. */
export interface Announcement {
  readonly side: Side;
  /** Contract and function. */
  readonly title: string;
  /** The arguments, as name and value. */
  readonly what: string;
  /** The earliest execution, ISO 8601 in UTC. */
  readonly executableAt: string;
}

/** The body of `GET /bridge/state`: each part of the bridge now. A part that is unknown is null or has a problem. */
export interface StateResponse {
  /** When the state was read, ISO 8601 in UTC. */
  readonly time: string;
  readonly chains: Readonly<Record<Side, ChainState>>;
  readonly relayer: PartState;
  /** Null if unknown. */
  readonly attesters: Readonly<Record<Side, AttesterState>> | null;
  /** One entry per asset and direction. */
  readonly directions: readonly DirectionState[];
  /** One entry per asset. */
  readonly assets: readonly AssetState[];
  /** The earliest first; null if unknown. */
  readonly announcements: readonly Announcement[] | null;
}
