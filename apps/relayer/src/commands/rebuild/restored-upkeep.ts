import type { RestoredUpkeep, UpkeepPart } from '@causeway/store';
import type { Hex } from 'viem';

/** A Retired event of one token, or a ToppedUp event of one wallet. `amount` in atomic units. */
export interface UpkeepEvent {
  readonly txHash: Hex;
  readonly amount: bigint;
  /** Chain time of its block. */
  readonly at: Date;
}

/** The amounts that the events of retirements or sweeps moved. */
export interface UpkeepPlan {
  /** In the order of the chain. Those that are stored already are left out. */
  readonly upkeep: readonly Omit<RestoredUpkeep, 'chainId'>[];
  /** Sentences for operators about what does not fit. */
  readonly warnings: readonly string[];
}

/** The most burns of a retirement, and the most transfers of a sweep. */
const MOST_PARTS = 1_000;

/**
 * Decides which burns each retirement destroyed. The retire stage takes all completed burns in their order, so a
 * retirement is of the next burns that add up to its amount. Where they do not, it is counted together with the
 * following one: the sum of all retirements stays right, and never above the chain's. Pure.
 *
 * @param burns all completed ones of the token, in the order in which retirements take them.
 * @param events in the order of the chain.
 */
export function planRetirements(burns: readonly UpkeepPart[], events: readonly UpkeepEvent[]): UpkeepPlan {
  const upkeep: Omit<RestoredUpkeep, 'chainId'>[] = [];
  const warnings: string[] = [];
  let [position, open]: [number, UpkeepEvent[]] = [0, []];
  for (const event of events) {
    open.push(event);
    const amount = open.reduce((sum, each) => sum + each.amount, 0n);
    const parts = findParts(burns.slice(position, position + open.length * MOST_PARTS), amount);
    if (parts === null) continue;
    const hashes = open.map(({ txHash }) => txHash);
    if (hashes.length > 1)
      warnings.push(`The retirements ${hashes.join(', ')} are stored as one: only together do they fit burns.`);
    if (!isStored(parts)) upkeep.push({ amount, operationIds: parts.map(getId), at: event.at });
    [position, open] = [position + parts.length, []];
  }
  if (open.length > 0) {
    const amount = open.reduce((sum, each) => sum + each.amount, 0n);
    warnings.push(
      `The retirements ${open.map(({ txHash }) => txHash).join(', ')} destroyed ${amount} units that fit no burns. ` +
        'Nothing more of this token is retired while the wallet holds less than the burns that are not retired.',
    );
  }
  return { upkeep, warnings };
}

/**
 * Decides which transfers each sweep moved: the next ones that were final by then and add up to its amount, else all of
 * them, since the wallet may have kept a part of the coin. Pure.
 *
 * @param payments all transfers to the wallet for final intents, in the order in which sweeps take them.
 * @param events in the order of the chain.
 */
export function planSweeps(payments: readonly UpkeepPart[], events: readonly UpkeepEvent[]): UpkeepPlan {
  const upkeep: Omit<RestoredUpkeep, 'chainId'>[] = [];
  const warnings: string[] = [];
  let position = 0;
  for (const { txHash, amount, at } of events) {
    const ready = payments.slice(position, position + MOST_PARTS).filter(({ readyAt }) => readyAt <= at);
    const parts = findParts(ready, amount) ?? ready;
    const brought = sumParts(parts);
    if (brought < amount)
      warnings.push(
        `The sweep ${txHash} moved ${amount - brought} units more than transfers for known intents had brought: ` +
          'transfers for intents that the database lost, or coin of the wallet.',
      );
    if (parts.length > 0 && !isStored(parts)) upkeep.push({ amount, operationIds: parts.map(getId), at });
    position += parts.length;
  }
  return { upkeep, warnings };
}

/** The first parts that add up to an amount; null when none do. */
function findParts(parts: readonly UpkeepPart[], amount: bigint): readonly UpkeepPart[] | null {
  let sum = 0n;
  for (const [index, part] of parts.entries()) {
    sum += part.amount;
    if (sum === amount) return parts.slice(0, index + 1);
    if (sum > amount) return null;
  }
  return null;
}

/** An interrupted rebuild stored it before: a retirement or sweep is stored as a whole. */
function isStored(parts: readonly UpkeepPart[]): boolean {
  return parts.some(({ isTaken }) => isTaken);
}

function sumParts(parts: readonly UpkeepPart[]): bigint {
  return parts.reduce((sum, { amount }) => sum + amount, 0n);
}

function getId({ operationId }: UpkeepPart): Hex {
  return operationId;
}
