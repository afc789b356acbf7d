import { bridgeLockAbi } from '@causeway/contracts/abi';
import { readContract, type Heads, type Ledger, type Side, type Verifier } from '@causeway/verifier';

type Header = Heads[Side];

/** The time of a block, in Unix seconds. */
export type TimeOf = (side: Side, block: bigint) => Promise<bigint>;

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

/** The changes of the pauses of a chain's contract in order, the newest ones back to a time. */
export async function listPauseSets(
  { trust }: Pick<Ledger, 'trust'>,
  side: Side,
  since: bigint,
  timeOf: TimeOf,
): Promise<readonly PauseSet[]> {
  const found: PauseSet[] = [];
  for (const change of trust.filter((one) => one.side === side && one.name === 'PauseSet').toReversed()) {
    const time = await timeOf(side, change.blockNumber);
    const [, until = '0', deliveries, count = '0'] =
      /^beginningsPausedUntil (\d+), deliveriesPaused (\w+), count (\d+)/.exec(change.text) ?? [];
    found.unshift({ time, count: BigInt(count), isOpen: deliveries !== 'true' || BigInt(until) <= time });
    if (time < since) break;
  }
  return found;
}

/** Chains' clocks may differ by this much. */
const SKEW_SECONDS = 60n;

/**
 * Whether the admin lifted a pause that followed a theft, and so has seen it: the tower does not pause again for it.
 * Pure. A lift names the count of the pause that it ends, so it has the same one.
 *
 * @param theft Unix seconds of the newest theft's block.
 */
export function isAnswered(sets: readonly PauseSet[], theft: bigint): boolean {
  const later = sets.filter(({ time }) => time + SKEW_SECONDS >= theft);
  return later.some(({ count, isOpen }, index) => isOpen && later[index - 1]?.count === count);
}
