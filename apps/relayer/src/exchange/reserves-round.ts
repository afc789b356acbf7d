import type { ReservesProposal, ReservesStatement } from '@causeway/protocol';
import type { AttesterSignature } from '@causeway/protocol/attest';
import type { Address, Hex } from 'viem';
import type { AttesterSet } from './quorum.js';

/** The statement of an attester for a proposal. The signature over the digest is verified. */
export interface StatedReserves {
  readonly statement: ReservesStatement;
  readonly digest: Hex;
  readonly signature: Hex;
}

/** A statement that enough attesters signed. */
export interface AgreedReserves {
  readonly statement: ReservesStatement;
  readonly digest: Hex;
  readonly setNumber: bigint;
  /** In the order of the set. */
  readonly signatures: readonly AttesterSignature[];
}

/** A proposal, and what the members of an attester set state for it. */
export class ReservesRound {
  private readonly stated = new Map<Address, StatedReserves>();

  constructor(
    /** In the list of the exchange. */
    readonly position: number,
    readonly proposal: ReservesProposal,
    private readonly set: AttesterSet,
    /** Epoch milliseconds. */
    readonly sinceMs: number,
  ) {}

  /** Whether an attester still has to state the reserves. */
  isAsking(attester: Address): boolean {
    return this.set.members.includes(attester) && !this.stated.has(attester);
  }

  state(attester: Address, stated: StatedReserves): void {
    this.stated.set(attester, stated);
  }

  /** The statement with as many signatures as the threshold; null before. */
  findAgreed(): AgreedReserves | null {
    const { setNumber, members, threshold } = this.set;
    for (const { digest, statement } of this.stated.values()) {
      const signatures = members.flatMap((attester) => {
        const stated = this.stated.get(attester);
        return stated?.digest === digest ? [{ attester, signature: stated.signature }] : [];
      });
      if (signatures.length >= threshold) return { statement, digest, setNumber, signatures };
    }
    return null;
  }

  /** How many attesters stated each digest, for the log. */
  countDigests(): Readonly<Record<Hex, number>> {
    const counts: Record<Hex, number> = {};
    for (const { digest } of this.stated.values()) counts[digest] = (counts[digest] ?? 0) + 1;
    return counts;
  }
}

/** Whether a statement is one for this proposal. */
export function isFor(statement: ReservesStatement, proposal: ReservesProposal): boolean {
  const fields = ['day', 'previous', 'ethereumBlock', 'ethereumHash', 'partnerBlock', 'partnerHash'] as const;
  return fields.every((field) => statement[field] === proposal[field]);
}
