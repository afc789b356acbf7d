import { getToken, type AddressBook, type Side } from '@causeway/protocol';
import type { OwedDelivery, OwedTerms, SeenDelivery, SeenOpening } from '@causeway/store';
import type { Hex } from 'viem';

/** Blocks that a chain may be behind its head while deliveries are judged: more than a busy minute. */
const MOST_BLOCKS_BEHIND = 50;

/** How far a chain was read. */
export interface ReadState {
  readonly blocksBehind: number;
  /** Chain time of the newest block that was read, in epoch milliseconds. */
  readonly readUntilMs: number;
}

/** A delivery, and what the operation or refund with its id is owed; null when there is none. */
export interface JudgedDelivery {
  readonly delivery: Pick<SeenDelivery, 'name' | 'chainId' | 'args'>;
  readonly owed: OwedTerms | null;
}

/** Whether a delivery pays an operation with its terms. `why`: a sentence for operators. */
export type Judgement = { readonly kind: 'matched' } | { readonly kind: 'unknown'; readonly why: string };

/** Whether a chain is read up to its head, or nearly. Far behind it, operations are missing that exist. */
export function isCaughtUp(state: ReadState | null): state is ReadState {
  return state !== null && state.blocksBehind <= MOST_BLOCKS_BEHIND;
}

/**
 * Whether a delivery can be judged: its operation began before it, so the origin chain must be read past its time.
 * Nothing is judged while a chain catches up, as after the start of an empty database.
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
 * amount and fee. Pure. The watch and the stages that settle all go by it.
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
    // A mint has no fee; a release names the one that it keeps.
    ...(name === 'Release' ? { fee: owed.fee.toString() } : {}),
  };
  const found: Readonly<Record<string, string | undefined>> = { ...args, chain: String(chainId) };
  const wrong = Object.keys(expected).filter((field) => found[field] !== expected[field]);
  if (wrong.length === 0) return { kind: 'matched' };
  const differences = wrong.map((field) => `${field} ${found[field] ?? 'none'} instead of ${expected[field]}`);
  return unknown(`it differs from its ${kind}: ${differences.join(', ')}`);
}

/**
 * Judges a delivery as the watch does: one that pays its operation as it is owed is unknown, too, if the operation
 * FAILED, or was paid before. Pure.
 */
export function judgeOwed(entry: OwedDelivery, book: AddressBook, side: Side): Judgement {
  const judgement = judgeDelivery(entry, book, side);
  if (judgement.kind === 'unknown') return judgement;
  if (entry.hasFailed) return unknown('its operation FAILED: what arrived for it is refunded');
  return entry.isRepeated ? unknown('it was paid before, with the same terms') : judgement;
}

/**
 * Finds what an opening must not open: an id that a delivery before it paid with its own terms, or whose operation is
 * refunded. The relayer never pays it again; a thief with its key could. Pure.
 *
 * @param entries the deliveries for the ids of the opening.
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
