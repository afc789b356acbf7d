import type { Asset } from '@causeway/protocol';

/** The collateral of an asset, and the supply that it backs, each at a final block of its chain. In atomic units. */
export interface Backing {
  readonly asset: Asset;
  /** The amount that BridgeLock holds, less fees and credits. */
  readonly locked: bigint;
  /**
   * Owed to holders on the partner chain. For a token: its supply less what was handed in to relayer wallets. For
   * native XCN: all mints less the withdrawals of operations paid on Ethereum.
   */
  readonly outstanding: bigint;
  readonly ethereumBlock: bigint;
  readonly partnerBlock: bigint;
}

/**
 * Whether all supply on the partner chain is backed. Pending deposits and withdrawals only add collateral, so an honest
 * bridge is never short.
 */
export function isBacked({ locked, outstanding }: Pick<Backing, 'locked' | 'outstanding'>): boolean {
  return locked >= outstanding;
}

/**
 * Decides whether a mint is backed. Pure. An honest mint always is, since its deposit is locked at the Ethereum block.
 * A mint of an invented deposit is not.
 *
 * @param inFlight the asset's signed mints that are not part of `outstanding` yet.
 * @param amount the mint's amount.
 */
export function coversMint(
  { locked, outstanding }: Pick<Backing, 'locked' | 'outstanding'>,
  inFlight: bigint,
  amount: bigint,
): boolean {
  return locked >= outstanding + inFlight + amount;
}
