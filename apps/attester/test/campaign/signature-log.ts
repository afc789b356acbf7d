import type { AddressBook } from '@causeway/contracts/deploy';
import type { AttestItem } from '@causeway/protocol/attest';
import type { Side } from '@causeway/verifier';
import type { Hex } from 'viem';
import { computeTerms, findSide } from '../setup/batches.js';
import type { Claim } from './disputes.js';

/** A process of an attester, from its start to its death. */
export interface Life {
  readonly key: string;
  /** The name of its record. A restored or lost record gets a new name. */
  readonly memory: string;
  readonly startedAtMs: number;
  endedAtMs: number | null;
}

/** One payment that a signature allows. */
export interface SignedPayment {
  readonly life: Life;
  readonly item: AttestItem;
  readonly terms: Hex;
  readonly branch: number;
  readonly side: Side;
  readonly validUntil: bigint;
  /** Time of each chain's newest block when the signature arrived, in Unix seconds. */
  readonly heads: Readonly<Record<Side, bigint>>;
}

/** All signatures ever sent, as collected by an exchange. */
export class SignatureLog {
  readonly payments: SignedPayment[] = [];
  private readonly newest = { ethereum: 0n, partner: 0n };

  constructor(
    private readonly book: AddressBook,
    private readonly readHead: (side: Side) => Promise<bigint>,
  ) {}

  async add(life: Life, { items, branch }: Claim, validUntil: bigint): Promise<void> {
    const sides = ['ethereum', 'partner'] as const;
    for (const side of sides) {
      const head = await this.readHead(side);
      // A reorg continues from the time already reached.
      if (head > this.newest[side]) this.newest[side] = head;
    }
    const heads = { ...this.newest };
    for (const item of items)
      this.payments.push({
        life,
        item,
        terms: computeTerms(item, this.book),
        branch,
        side: findSide(items),
        validUntil,
        heads,
      });
  }

  /** Pairs of conflicting payments by one key, made while the earlier signature was valid. */
  findContradictions(): readonly (readonly [SignedPayment, SignedPayment])[] {
    return this.payments.flatMap((later, index) =>
      this.payments
        .slice(0, index)
        .filter(
          (earlier) =>
            earlier.life.key === later.life.key &&
            isContradiction(earlier, later) &&
            // One memory assigns a transfer to one payment permanently.
            (earlier.validUntil >= later.heads[earlier.side] ||
              (earlier.life.memory === later.life.memory && earlier.item.id !== later.item.id)),
        )
        .map((earlier) => [earlier, later] as const),
    );
  }
}

/** Whether two payments have the same id with different terms, or the same transfer for different ids. */
function isContradiction(one: SignedPayment, other: SignedPayment): boolean {
  if (one.item.id === other.item.id) return one.terms !== other.terms;
  return findTransfer(one.item) === findTransfer(other.item);
}

function findTransfer(item: AttestItem): Hex | undefined {
  return (item.kind === 'REFUND' ? item.arrival : item.origin)?.transactionHash;
}

/** Whether the lives of two processes overlapped. */
export function areCopies(one: Life, other: Life): boolean {
  const end = (life: Life) => life.endedAtMs ?? Number.POSITIVE_INFINITY;
  return one !== other && one.startedAtMs < end(other) && other.startedAtMs < end(one);
}
