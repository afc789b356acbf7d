/** A direction of the bridge, or both. */
export type Direction = 'ethereum-to-partner' | 'partner-to-ethereum' | 'both';

/** What a direction is at each end: deposits begin and releases are delivered on Ethereum, burns and mints on the partner chain. */
export function directionAtEnds(direction: Direction): {
  readonly lock: { readonly inbound: boolean; readonly outbound: boolean };
  readonly mint: { readonly inbound: boolean; readonly outbound: boolean };
} {
  const toPartner = direction !== 'partner-to-ethereum';
  const toEthereum = direction !== 'ethereum-to-partner';
  return {
    lock: { inbound: toPartner, outbound: toEthereum },
    mint: { inbound: toEthereum, outbound: toPartner },
  };
}
