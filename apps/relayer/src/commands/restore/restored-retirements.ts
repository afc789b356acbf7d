import type { CompletedBurn, RestoredRetirement } from '@causeway/store';
import type { Hex } from 'viem';

/** A Retired event of one token. `amount` in atomic units. */
export interface RetiredEvent {
  readonly txHash: Hex;
  readonly amount: bigint;
  /** Chain time of its block. */
  readonly at: Date;
}

/** The retirements to restore. */
export interface RetirementPlan {
  /** In the order of the chain. */
  readonly retirements: readonly Omit<RestoredRetirement, 'chainId'>[];
  /** The last events, which match no burns without further ones. */
  readonly open: readonly RetiredEvent[];
  /** Warnings for operators. */
  readonly warnings: readonly string[];
}

/** Maximum burns per retirement. */
export const MOST_BURNS = 1_000;

/**
 * Decides which burns each retirement destroyed. The retire stage takes completed burns in order, so a retirement
 * covers the next burns that add up to its amount. If none do, it is merged with the following retirement: the sum of
 * all retirements stays right, and never exceeds the chain's. Pure.
 *
 * @param burns the first unretired completed burns of the token, in the order in which retirements take them: at least
 *   `MOST_BURNS` for each event, if there are as many.
 * @param events the next that belong to no stored retirement, in the order of the chain, after those left open before.
 */
export function planRetirements(burns: readonly CompletedBurn[], events: readonly RetiredEvent[]): RetirementPlan {
  const retirements: Omit<RestoredRetirement, 'chainId'>[] = [];
  const warnings: string[] = [];
  let [position, open]: [number, RetiredEvent[]] = [0, []];
  for (const event of events) {
    open.push(event);
    const amount = open.reduce((sum, each) => sum + each.amount, 0n);
    const destroyed = findBurns(burns.slice(position, position + open.length * MOST_BURNS), amount);
    if (destroyed === null) continue;
    const hashes = open.map(({ txHash }) => txHash);
    if (hashes.length > 1)
      warnings.push(`The retirements ${hashes.join(', ')} are stored as one, since only their sum matches burns.`);
    const operationIds = destroyed.map(({ operationId }) => operationId);
    retirements.push({ amount, operationIds, at: event.at, txHashes: hashes });
    [position, open] = [position + destroyed.length, []];
  }
  return { retirements, open, warnings };
}

/** Warns of events that match no burns at the end. Pure. */
export function describeUnmatched(open: readonly RetiredEvent[]): string[] {
  if (open.length === 0) return [];
  const amount = open.reduce((sum, each) => sum + each.amount, 0n);
  return [
    `The retirements ${open.map(({ txHash }) => txHash).join(', ')} destroyed ${amount} units that match no burns. ` +
      'This token is not retired while the wallet holds less than its unretired burns.',
  ];
}

/** The first burns that add up to exactly the amount; null if there are none. */
function findBurns(burns: readonly CompletedBurn[], amount: bigint): readonly CompletedBurn[] | null {
  let sum = 0n;
  for (const [index, burn] of burns.entries()) {
    sum += burn.amount;
    if (sum === amount) return burns.slice(0, index + 1);
    if (sum > amount) return null;
  }
  return null;
}
