import type { Address, Hex } from 'viem';
import type { Asset } from '../assets.js';

/** The reserves of an asset at a pair of blocks, in atomic units. */
export interface AssetReservesResponse {
  readonly asset: Asset;
  /** Held by BridgeLock for users. It covers `supply - held + inFlight`. */
  readonly locked: string;
  /** On the partner chain. */
  readonly supply: string;
  /** The part of the supply that relayer wallets hold. */
  readonly held: string;
  /** Begun and not delivered, in both directions. */
  readonly inFlight: string;
  /** Fees that the treasury can collect. */
  readonly fees: string;
}

/** A final block. */
export interface ReservesBlock {
  readonly number: number;
  readonly hash: Hex;
}

/** A statement of one day, as the attesters signed it. */
export interface ReservesStatementResponse {
  /** Days since 1970, of the partner block. */
  readonly day: number;
  /** The EIP-712 digest that is signed. */
  readonly digest: Hex;
  /** The digest of the statement before; 32 zero bytes in the first one. */
  readonly previous: Hex;
  readonly ethereum: ReservesBlock;
  readonly partner: ReservesBlock;
  /** In the order of their symbols. */
  readonly assets: readonly AssetReservesResponse[];
  /** Number of BridgeLock's attester set. */
  readonly attesterSet: number;
  readonly signatures: readonly { readonly attester: Address; readonly signature: Hex }[];
}

/** The body of `GET /bridge/reserves`. */
export interface ReservesResponse {
  /** Signatures that a statement needs; 0 without attesters, when there are no new statements; null if unknown. */
  readonly needed: number | null;
  /** Newest first. */
  readonly statements: readonly ReservesStatementResponse[];
  /** `before` of the next page; null on the last page. */
  readonly nextBefore: number | null;
}
