import type { ChainConnection } from '@causeway/chain';
import type { BlockRecord } from '@causeway/store';
import type { Configuration } from '../configuration.js';

/** Seconds that the relayer can lag behind the chain. The verifier's bound leaves ten minutes. */
const MOST_LAG_SECONDS = 60;

/** The block at which an intent is judged. `isLate`: the block is more than a minute older than finality requires. */
export interface JudgedBlock {
  readonly number: bigint;
  readonly isLate: boolean;
}

/**
 * Chooses the partner chain block at which an intent is judged: its fee policy, and whether its sender signed.
 * Attesters judge it again at this block, so the block must be final. A transfer that the relayer has not read can pay
 * the intent, and only a transfer above the judged block pays, so the judged block must not be above the newest block
 * read. If the relayer lags so far that the block would be old, the final block is used alone, and intents that need
 * attesters are refused.
 *
 * @param read the newest block that the relayer has read; null if none.
 * @returns null when the nodes do not return the block now.
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
  // The API's nodes can be behind the relayer's.
  const newestSeconds = Math.max(Number(newest.timestampSeconds), (read?.timestamp.getTime() ?? 0) / 1_000);
  const mostSeconds = partnerConfirmations * blockSeconds.partner + MOST_LAG_SECONDS;
  const isLate = newestSeconds - Number(judged.timestampSeconds) > mostSeconds;
  return { number: isLate ? final : number, isLate };
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
