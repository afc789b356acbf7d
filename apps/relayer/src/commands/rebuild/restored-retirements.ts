import type { CompletedBurn, RestoredUpkeep } from '@causeway/store';
import type { Hex } from 'viem';

/** A Retired event of one token. `amount` in atomic units. */
export interface RetiredEvent {
  readonly txHash: Hex;
  readonly amount: bigint;
  /** Chain time of its block. */
  readonly at: Date;
}

/** The amounts that the events of retirements destroyed. */
export interface RetirementPlan {
  /** In the order of the chain. Those that are stored already are left out. */
  readonly retirements: readonly Omit<RestoredUpkeep, 'chainId'>[];
  /** Sentences for operators about what does not fit. */
  readonly warnings: readonly string[];
}

/** The most burns of a retirement. */
const MOST_BURNS = 1_000;

/**
 * Decides which burns each retirement destroyed. The retire stage takes all completed burns in their order, so a
 * retirement is of the next burns that add up to its amount. Where they do not, it is counted together with the
 * following one: the sum of all retirements stays right, and never above the chain's. Pure.
 *
 * @param burns all completed ones of the token, in the order in which retirements take them.
 * @param events in the order of the chain.
 */
export function planRetirements(burns: readonly CompletedBurn[], events: readonly RetiredEvent[]): RetirementPlan {
  const retirements: Omit<RestoredUpkeep, 'chainId'>[] = [];
  const warnings: string[] = [];
  let [position, open]: [number, RetiredEvent[]] = [0, []];
  for (const event of events) {
    open.push(event);
    const amount = open.reduce((sum, each) => sum + each.amount, 0n);
    const destroyed = findBurns(burns.slice(position, position + open.length * MOST_BURNS), amount);
    if (destroyed === null) continue;
    const hashes = open.map(({ txHash }) => txHash);
    if (hashes.length > 1)
      warnings.push(`The retirements ${hashes.join(', ')} are stored as one: only together do they fit burns.`);
    // An interrupted rebuild stored it before, as a whole.
    const isStored = destroyed.some(({ isRetired }) => isRetired);
    const operationIds = destroyed.map(({ operationId }) => operationId);
    if (!isStored) retirements.push({ amount, operationIds, at: event.at });
    [position, open] = [position + destroyed.length, []];
  }
  if (open.length > 0) {
    const amount = open.reduce((sum, each) => sum + each.amount, 0n);
    warnings.push(
      `The retirements ${open.map(({ txHash }) => txHash).join(', ')} destroyed ${amount} units that fit no burns. ` +
        'Nothing more of this token is retired while the wallet holds less than the burns that are not retired.',
    );
  }
  return { retirements, warnings };
}

/** The first burns that add up to an amount; null when none do. */
function findBurns(burns: readonly CompletedBurn[], amount: bigint): readonly CompletedBurn[] | null {
  let sum = 0n;
  for (const [index, burn] of burns.entries()) {
    sum += burn.amount;
    if (sum === amount) return burns.slice(0, index + 1);
    if (sum > amount) return null;
  }
  return null;
}
