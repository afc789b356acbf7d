import type { InternalTransfer, MirrorAnswer } from '@causeway/chain';
import type { Hex } from 'viem';

/** A transaction of a block, with the mirrors' answer about its payments to a wallet. */
export interface AskedTransaction {
  readonly txHash: Hex;
  readonly answer: MirrorAnswer;
}

/** A payment to the wallet inside a transaction. */
interface FoundTransfer extends InternalTransfer {
  readonly txHash: Hex;
}

/** How call trees explain a difference. Amounts in wei. */
export interface Explanation {
  readonly transfers: readonly FoundTransfer[];
  /** The amount that no call tree explains: block rewards, coin of a self-destructed contract, or a fault. */
  readonly rest: bigint;
  /** Why a later answer may explain more; null when the mirrors' answers are complete. */
  readonly doubt: string | null;
}

/**
 * Decides which payments explain a surplus of the wallet. Pure. The doubt remains while a call tree is missing. If the
 * payments exceed the difference, at least one is false, so none counts.
 */
export function explainDifference(difference: bigint, asked: readonly AskedTransaction[]): Explanation {
  const transfers = asked.flatMap(({ txHash, answer }) =>
    answer.kind === 'found' ? answer.transfers.map((transfer) => ({ txHash, ...transfer })) : [],
  );
  const sum = transfers.reduce((total, { amount }) => total + amount, 0n);
  if (sum > difference)
    return {
      transfers: [],
      rest: difference,
      doubt: `the call trees show payments of ${sum}, above the difference of ${difference}`,
    };
  const rest = difference - sum;
  const missing = asked.flatMap(({ answer }) => (answer.kind === 'missing' ? [answer.reason] : []));
  return { transfers, rest, doubt: rest === 0n ? null : (missing[0] ?? null) };
}
