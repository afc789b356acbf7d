import { getToken, type AddressBook, type Side } from '@causeway/protocol';
import type { OwedDelivery, OwedTerms, SeenDelivery, SeenOpening } from '@causeway/store';
import type { Hex } from 'viem';

/** How many blocks a chain may be behind its head while deliveries are judged: more than a busy minute. */
const MOST_BLOCKS_BEHIND = 50;

/** How far a chain was read. */
export interface ReadState {
  readonly blocksBehind: number;
  /** Chain time of the newest block that was read, in epoch milliseconds. */
  readonly readUntilMs: number;
}

/** A delivery, and the terms owed to the operation or refund with its id; null when there is none. */
export interface JudgedDelivery {
  readonly delivery: Pick<SeenDelivery, 'name' | 'chainId' | 'args'>;
  readonly owed: OwedTerms | null;
}

/** Whether a delivery has the terms of its operation. `why`: a sentence for operators. */
export type Judgement = { readonly kind: 'matched' } | { readonly kind: 'unknown'; readonly why: string };

/** Whether a chain is read nearly up to its head. Far behind it, existing operations are still unknown. */
export function isCaughtUp(state: ReadState | null): state is ReadState {
  return state !== null && state.blocksBehind <= MOST_BLOCKS_BEHIND;
}

/**
 * Whether a delivery can be judged. Its operation began earlier, so the origin chain must be read past its time. While
 * a chain catches up, for example from an empty database, no delivery is judged.
 */
export function mayJudge(
  { minedAt }: Pick<SeenDelivery, 'minedAt'>,
  destination: ReadState | null,
  origin: ReadState | null,
): boolean {
  return isCaughtUp(destination) && isCaughtUp(origin) && origin.readUntilMs >= minedAt.getTime();
}

/**
 * Compares a delivery on the chain with the operation, or the signed refund, of its id: destination, token, recipient,
 * amount and fee. Pure. The watch and the stages that settle share this rule.
 *
 * @param side the chain of the delivery.
 */
export function judgeDelivery({ delivery, owed }: JudgedDelivery, book: AddressBook, side: Side): Judgement {
  const { name, chainId, args } = delivery;
  const kind = name === 'Refunded' ? 'refund' : 'operation';
  if (owed === null)
    return unknown(kind === 'refund' ? 'no refund with its id was approved' : 'there is no operation with its id');
  const expected: Readonly<Record<string, string>> = {
    chain: String(owed.destinationChainId),
    token: getToken(book, side, owed.asset).toLowerCase(),
    recipient: owed.recipient,
    amount: owed.outputAmount.toString(),
    // A mint has no fee; a release names the fee that BridgeLock keeps.
    ...(name === 'Release' ? { fee: owed.fee.toString() } : {}),
  };
  const found: Readonly<Record<string, string | undefined>> = { ...args, chain: String(chainId) };
  const wrong = Object.keys(expected).filter((field) => found[field] !== expected[field]);
  if (wrong.length === 0) return { kind: 'matched' };
  const differences = wrong.map((field) => `${field} ${found[field] ?? 'none'} instead of ${expected[field]}`);
  return unknown(`it differs from its ${kind}: ${differences.join(', ')}`);
}

/**
 * Judges a delivery for the watch. A delivery with the right terms is also unknown if its operation FAILED or was paid
 * before. Pure.
 */
export function judgeOwed(entry: OwedDelivery, book: AddressBook, side: Side): Judgement {
  const judgement = judgeDelivery(entry, book, side);
  if (judgement.kind === 'unknown') return judgement;
  if (entry.hasFailed) return unknown('its operation FAILED, so the transfer is refunded');
  return entry.isRepeated ? unknown('it was paid before, with the same terms') : judgement;
}

/**
 * Finds an id that an opening must not open: an earlier delivery paid it with its own terms, or its operation is
 * refunded. The relayer never pays such an id again; a thief with its key could. Pure.
 *
 * @param entries the deliveries with the ids of the opening.
 */
export function findPaidBefore(
  { blockNumber, logIndex }: Pick<SeenOpening, 'blockNumber' | 'logIndex'>,
  entries: readonly OwedDelivery[],
  book: AddressBook,
  side: Side,
): Hex | null {
  const paid = entries.find((entry) => {
    const { delivery } = entry;
    const isBefore =
      delivery.blockNumber < blockNumber || (delivery.blockNumber === blockNumber && delivery.logIndex < logIndex);
    return isBefore && (entry.hasFailed || judgeDelivery(entry, book, side).kind === 'matched');
  });
  return paid?.delivery.operationId ?? null;
}

function unknown(why: string): Judgement {
  return { kind: 'unknown', why };
}
