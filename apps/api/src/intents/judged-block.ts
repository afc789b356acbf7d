import type { ChainConnection } from '@causeway/chain';
import type { BlockRecord } from '@causeway/store';
import type { Configuration } from '../configuration.js';

/** Seconds that the relayer may need to read a block. The verifier's bound leaves room for ten minutes. */
const MOST_LAG_SECONDS = 60;

/** The block at which an intent is judged. `isLate`: reader and nodes do not agree on the last minute of the chain. */
export interface JudgedBlock {
  readonly number: bigint;
  readonly isLate: boolean;
}

/**
 * Chooses the block of the partner chain at which an intent is judged: its fee policy, and whether its sender signed.
 * Attesters judge it again at this block, so it is final. A transfer that the relayer has not read may pay the intent,
 * and pays only above the judged block, so that is not later than the newest block read. A reader that lags would make
 * it old: then it is the final block alone, and no intent is accepted that attesters would have to judge.
 *
 * @param read the newest block that the relayer has read; null when it has read none.
 * @returns null when the nodes have no such block now.
 * @throws QuorumError
 */
export async function chooseJudgedBlock(
  partner: Pick<ChainConnection, 'agreedHead' | 'agreedBlock'>,
  read: Pick<BlockRecord, 'number' | 'timestamp'> | null,
  { addressBook, timing }: Pick<Configuration, 'addressBook' | 'timing'>,
): Promise<JudgedBlock | null> {
  const { partnerConfirmations, blockSeconds } = timing;
  const head = await partner.agreedHead();
  const afterDeployment = (block: bigint) => max(block, BigInt(addressBook.partner.deployedAtBlock));
  const final = afterDeployment(head - BigInt(partnerConfirmations) + 1n);
  const number = read === null || read.number > final ? final : afterDeployment(read.number);
  const [newest, judged] = await Promise.all([partner.agreedBlock(head), partner.agreedBlock(number)]);
  if (newest === null || judged === null) return null;
  // The nodes asked here may be behind those of the relayer.
  const newestSeconds = Math.max(Number(newest.timestampSeconds), (read?.timestamp.getTime() ?? 0) / 1_000);
  const mostSeconds = partnerConfirmations * blockSeconds.partner + MOST_LAG_SECONDS;
  const isLate = newestSeconds - Number(judged.timestampSeconds) > mostSeconds;
  return { number: isLate ? final : number, isLate };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
