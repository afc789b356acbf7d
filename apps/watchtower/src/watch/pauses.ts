import { bridgeLockAbi } from '@causeway/contracts/abi';
import { readContract, type Heads, type Ledger, type Side, type Verifier } from '@causeway/verifier';

type Header = Heads[Side];

export const OTHER = { ethereum: 'partner', partner: 'ethereum' } as const;

/** The time of a block, in Unix seconds. */
export type ReadTime = (side: Side, block: bigint) => Promise<bigint>;

/** Whether the contract of a chain stops both directions after a block. */
export async function showsBothPauses({ readers, settings }: Verifier, side: Side, head: Header): Promise<boolean> {
  const [until, areDeliveriesPaused] = (await readContract(readers[side], {
    blockHash: head.hash,
    address: settings[side].contract,
    abi: bridgeLockAbi,
    functionName: 'pauses',
    args: [],
  })) as readonly [bigint, boolean, bigint];
  return until > head.timestamp && areDeliveriesPaused;
}

/** A change of the pauses of a contract. */
export interface PauseSet {
  /** Unix seconds. */
  readonly time: bigint;
  /** How many pauses there were. Lifting one does not count. */
  readonly count: bigint;
  /** Whether one direction works after it. */
  readonly isOpen: boolean;
}

/** The changes of the pauses of a chain's contract in order, from the last one before a time. */
export async function listPauseSets(
  { trust }: Pick<Ledger, 'trust'>,
  side: Side,
  since: bigint,
  readTime: ReadTime,
): Promise<readonly PauseSet[]> {
  const found: PauseSet[] = [];
  for (const change of trust.filter((one) => one.side === side && one.name === 'PauseSet').toReversed()) {
    const time = await readTime(side, change.blockNumber);
    const [, until = '0', deliveries, count = '0'] =
      /^beginningsPausedUntil (\d+), deliveriesPaused (\w+), count (\d+)/.exec(change.text) ?? [];
    found.unshift({ time, count: BigInt(count), isOpen: deliveries !== 'true' || BigInt(until) <= time });
    if (time < since) break;
  }
  return found;
}

/**
 * Whether the admin lifted a pause after a time. Pure. A lift names the count of the pause that it ends, so both have
 * the same one.
 *
 * @param since Unix seconds.
 */
export function isLifted(sets: readonly PauseSet[], since: bigint): boolean {
  return sets.some(({ time, count, isOpen }, index) => isOpen && time >= since && sets[index - 1]?.count === count);
}

/** How much the clocks of the chains can differ. */
const SKEW_SECONDS = 60n;

/**
 * Whether the admin lifted a pause that followed a theft, and so has seen it: the watch does not pause again for it.
 * Pure. A lift names the count of the pause that it ends, so both have the same one.
 *
 * @param theft Unix seconds of the newest theft's block, on either chain.
 */
export function isAnswered(sets: readonly PauseSet[], theft: bigint): boolean {
  return sets.some(({ time, count, isOpen }, index) => {
    const before = sets[index - 1];
    return isOpen && time >= theft && before?.count === count && before.time + SKEW_SECONDS >= theft;
  });
}
