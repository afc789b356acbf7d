import type { Direction } from '../assets/direction.js';

/** What the time of a transfer depends on. */
export interface TimingTerms {
  readonly ethereumConfirmations: number;
  readonly partnerConfirmations: number;
  readonly holdSeconds: number;
  readonly blockSeconds: { readonly ethereum: number; readonly partner: number };
}

/**
 * Seconds a transfer is likely to take: finality on the origin chain, the hold of withdrawals, then finality on the
 * destination chain.
 */
export function estimateSeconds(direction: Direction, terms: TimingTerms): number {
  const ethereum = terms.ethereumConfirmations * terms.blockSeconds.ethereum;
  const partner = terms.partnerConfirmations * terms.blockSeconds.partner;
  return Math.ceil(ethereum + partner + (direction === 'PARTNER_TO_ETHEREUM' ? terms.holdSeconds : 0));
}
