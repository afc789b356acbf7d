import type { AttestVerdict } from '@causeway/protocol/attest';
import type { Address } from 'viem';

/** The attester set of a contract. Members in lower case, in the order of the contract. */
export interface AttesterSet {
  readonly setNumber: bigint;
  readonly members: readonly Address[];
  /** Signatures that a call needs which moves value; 0 for none. */
  readonly threshold: number;
}

/** The verdicts of attesters about an item. */
export type Verdicts = ReadonlyMap<Address, AttestVerdict>;

/** Whether enough attesters accept an item, can still accept it, or never will while they refuse it. */
export type Standing = 'ACCEPTED' | 'OPEN' | 'REFUSED';

/** Whether the threshold is more than half of a set: two halves could sign different terms. Pure. */
export function isMajority({ members, threshold }: AttesterSet): boolean {
  return 2 * threshold > members.length;
}

/**
 * Returns how an item stands with a set. Pure. Only the members of the set count. A set of which half is enough accepts
 * nothing: it stays open until the admin sets another one.
 */
export function judgeStanding(set: AttesterSet, verdicts: Verdicts): Standing {
  if (!isMajority(set)) return 'OPEN';
  const { members, threshold } = set;
  const count = (kind: AttestVerdict['kind']) => members.filter((one) => verdicts.get(one)?.kind === kind).length;
  if (count('SIGN') >= threshold) return 'ACCEPTED';
  return count('REFUSE') > members.length - threshold ? 'REFUSED' : 'OPEN';
}

/**
 * Divides accepted items into groups, so that enough members accept all of a group. Pure. Each item joins the first
 * group that stays large enough: members that accept different items would sign none of a mixed batch.
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
