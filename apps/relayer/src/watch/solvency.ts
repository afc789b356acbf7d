import type { Asset } from '@causeway/protocol';

/** The collateral of an asset, and the supply that it backs, each at a final block of its chain. In atomic units. */
export interface Backing {
  readonly asset: Asset;
  /** Held by BridgeLock, less fees and credits. */
  readonly locked: bigint;
  /**
   * Owed to holders on the partner chain. A token: its supply less what was handed in to relayer wallets. Native XCN:
   * all mints less the withdrawals that Ethereum paid to operations.
   */
  readonly outstanding: bigint;
  readonly ethereumBlock: bigint;
  readonly partnerBlock: bigint;
}

/**
 * Whether everything on the partner chain is backed. Collateral for deposits and withdrawals in flight comes on
 * top, so an honest bridge is never short, whatever is in flight.
 */
export function isBacked({ locked, outstanding }: Pick<Backing, 'locked' | 'outstanding'>): boolean {
  return locked >= outstanding;
}

/**
 * Decides whether a mint is backed. Pure. The deposit is locked at the Ethereum block, so an honest mint always is; one
 * of an invented deposit is not.
 *
 * @param inFlight the mints of the asset that are signed and not part of `outstanding` yet.
 * @param amount of the mint.
 */
export function coversMint(
  { locked, outstanding }: Pick<Backing, 'locked' | 'outstanding'>,
  inFlight: bigint,
  amount: bigint,
): boolean {
  return locked >= outstanding + inFlight + amount;
}
