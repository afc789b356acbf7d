import type { AttestVerdict } from '@causeway/protocol/attest';
import type { Address } from 'viem';

/** The attester set of a contract. Members are lower-case, in the order of the contract. */
export interface AttesterSet {
  readonly setNumber: bigint;
  readonly members: readonly Address[];
  /** Signatures that a value-moving call needs; 0 if none. */
  readonly threshold: number;
}

export type Verdicts = ReadonlyMap<Address, AttestVerdict>;

/**
 * Whether enough attesters accept an item (ACCEPTED), can still accept it (OPEN), or cannot unless one changes its
 * refusal (REFUSED).
 */
export type Standing = 'ACCEPTED' | 'OPEN' | 'REFUSED';

/** Whether the threshold is more than half of the set. Otherwise two halves could sign different terms. Pure. */
export function isMajority({ members, threshold }: AttesterSet): boolean {
  return 2 * threshold > members.length;
}

/**
 * Returns an item's standing with a set. Pure. Only members of the set count. A set whose threshold is not a majority
 * accepts nothing: items stay open until the admin changes the set.
 */
export function judgeStanding(set: AttesterSet, verdicts: Verdicts): Standing {
  if (!isMajority(set)) return 'OPEN';
  const { members, threshold } = set;
  const count = (kind: AttestVerdict['kind']) => members.filter((one) => verdicts.get(one)?.kind === kind).length;
  if (count('SIGN') >= threshold) return 'ACCEPTED';
  return count('REFUSE') > members.length - threshold ? 'REFUSED' : 'OPEN';
}

/**
 * Divides accepted items into groups such that enough members accept every item of a group. Pure. Each item joins the
 * first group that keeps enough members: members that accept different items would not sign a mixed batch.
 */
export function groupByQuorum<T>(
  items: readonly T[],
  { members, threshold }: AttesterSet,
  getVerdicts: (item: T) => Verdicts,
): T[][] {
  const groups: { readonly items: T[]; signers: readonly Address[] }[] = [];
  for (const item of items) {
    const verdicts = getVerdicts(item);
    const accepting = members.filter((one) => verdicts.get(one)?.kind === 'SIGN');
    const common = (signers: readonly Address[]) => signers.filter((one) => accepting.includes(one));
    const group = groups.find(({ signers }) => common(signers).length >= threshold);
    if (group === undefined) groups.push({ items: [item], signers: accepting });
    else {
      group.items.push(item);
      group.signers = common(group.signers);
    }
  }
  return groups.map((group) => group.items);
}
