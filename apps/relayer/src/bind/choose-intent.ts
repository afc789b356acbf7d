import type { Hex } from 'viem';

/**
 * Which pending intent a transfer pays, among those of the same payer and amount: the one its client bound to this very
 * transaction, else the only one there is. Null when several would fit and no client said which.
 */
export function chooseIntent(candidates: readonly { id: Hex; proposed: boolean }[]): Hex | null {
  const proposed = candidates.find((candidate) => candidate.proposed);
  if (proposed !== undefined) return proposed.id;
  return candidates.length === 1 ? (candidates[0]?.id ?? null) : null;
}
