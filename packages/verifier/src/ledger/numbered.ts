import type { Hex } from 'viem';
import type { BeginningEvent, PaidEvent } from '../blocks/events.js';
import { computeFee } from '../checks/acceptance.js';
import type { Side } from '../nodes/finality.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import {
  MARKED,
  otherSide,
  RIGHT,
  toFinding,
  type Books,
  type Bridge,
  type Operation,
  type Place,
  type Waiting,
} from './books.js';

/** A node that skips more numbers than this says nothing that can be followed. */
const MAX_GAP = 1_000n;

/** Writes down a Deposit or Withdraw event. */
export function begin(
  bridge: Bridge,
  books: Books,
  side: Side,
  event: BeginningEvent & { readonly id: Hex },
  log: PlacedLog,
): void {
  const { number: eventNumber, token, recipient, fee } = event;
  const own = books.sides[side];
  const asset = bridge.symbols[side].get(token) ?? null;
  const report = (code: Parameters<typeof toFinding>[0], why: string) =>
    books.findings.push(toFinding(code, side, { id: event.id, asset }, log, why));
  books.sums.get(asset ?? '')?.add(side === 'ethereum' ? 'deposited' : 'withdrawn', event.amount);
  if (eventNumber !== BigInt(own.begun))
    report(
      eventNumber < own.begun ? 'NUMBER_REPEATED' : 'NUMBER_GAP',
      `The operation has the number ${eventNumber}; the next one is ${own.begun}.`,
    );
  if (eventNumber < own.begun || eventNumber > BigInt(own.begun) + MAX_GAP) return;
  const number = Number(eventNumber);
  own.begun = number + 1;
  const id = bridge.ids[side].computeId(number);
  if (id !== event.id) report('WRONG_ID', `Number ${number} has the id ${id}.`);
  if (asset === null) report('UNKNOWN_TOKEN', `The settings have no asset with the token ${token}.`);
  if (side === 'partner') {
    const policy = books.policies.get(token)?.at(-1);
    const expected = policy === undefined ? null : computeFee(event.amount, policy.bps, policy.minFee);
    if (expected !== fee) report('WRONG_FEE', `The fee is ${fee}; by the policy it is ${expected ?? 'none'}.`);
  }
  const operation: Operation = { number, asset, recipient, amount: event.amount - fee, fee };
  books.sums.get(asset ?? '')?.addPending(event.amount);
  const early = books.waiting.get(id);
  own.pending.set(id, operation);
  if (early === undefined) return;
  books.waiting.delete(id);
  settle(books, early.side, early, early, operation);
}

/** Writes down a Mint or Release event. */
export function deliver(bridge: Bridge, books: Books, side: Side, event: PaidEvent, log: PlacedLog): void {
  const { id, token, recipient, amount, fee } = event;
  const origin = otherSide(side);
  const asset = bridge.symbols[side].get(token) ?? null;
  const sums = books.sums.get(asset ?? '');
  sums?.add(side === 'ethereum' ? 'released' : 'minted', amount + fee);
  sums?.add('fees', fee);
  const operation = books.sides[origin].pending.get(id);
  if (asset === null)
    books.findings.push(
      toFinding('UNKNOWN_TOKEN', side, { id, asset }, log, `The settings have no asset with ${token}.`),
    );
  if (operation !== undefined) return settle(books, side, { ...event, asset }, log, operation);
  const { transactionHash, blockNumber } = log;
  const isIntent = side === 'ethereum' && token === bridge.xcn;
  const delivery: Waiting = {
    side,
    id,
    asset,
    token,
    recipient,
    amount,
    fee,
    transactionHash,
    blockNumber,
    want: isIntent ? 'INTENT' : 'BEGINNING',
    intent: null,
  };
  const isPaid = isUsed(books, side, id) || books.waiting.has(id);
  if (isPaid) books.findings.push(toFinding('PAID_TWICE', side, delivery, log, 'The id was paid before.'));
  else if (isIntent) books.waiting.set(id, delivery);
  else waitForBeginning(bridge, books, delivery);
}

/** A delivery that matches nothing pending waits for its beginning, unless its number was delivered before. */
export function waitForBeginning(bridge: Bridge, books: Books, delivery: Waiting): void {
  const { side, id } = delivery;
  const origin = otherSide(side);
  const number = bridge.ids[origin].find(id, books.sides[origin].begun);
  if (number === null) return books.waiting.set(id, { ...delivery, want: 'BEGINNING' });
  books.waiting.delete(id);
  mark(books, side, number);
  books.findings.push(toFinding('PAID_TWICE', side, delivery, delivery, `Number ${number} was paid before.`));
}

/** Whether a contract marks an intent, a transfer or a refund as paid, or paid it rightly before it was reopened. */
export function isUsed(books: Books, side: Side, id: Hex): boolean {
  return ((books.sides[side].paid.get(id) ?? 0) & (MARKED | RIGHT)) !== 0;
}

/** Compares a delivery with its beginning. */
function settle(
  books: Books,
  side: Side,
  delivery: Pick<Waiting, 'id' | 'asset' | 'recipient' | 'amount' | 'fee' | 'isReopened'>,
  place: Place,
  operation: Operation,
): void {
  const { id, asset, recipient, amount, fee } = delivery;
  const { number } = operation;
  const origin = books.sides[otherSide(side)];
  origin.pending.delete(id);
  books.sums.get(operation.asset ?? '')?.addPending(-operation.amount - operation.fee);
  if (delivery.isReopened !== true) mark(books, side, number);
  const isSame = asset === operation.asset && recipient === operation.recipient;
  if (isSame && amount === operation.amount && fee === operation.fee) return;
  const different = [
    ['asset', asset, operation.asset],
    ['recipient', recipient, operation.recipient],
    ['amount', amount, operation.amount],
    ['fee', fee, operation.fee],
  ].filter(([, paid, due]) => paid !== due);
  // If the admin reopens the number, the right delivery is due.
  origin.misdelivered.set(number, operation);
  const why = different.map(([name, paid, due]) => `${String(name)} ${String(paid)} instead of ${String(due)}`);
  books.findings.push(toFinding('OTHER_TERMS', side, delivery, place, `Number ${number} has ${why.join(', ')}.`));
}

function mark(books: Books, side: Side, number: number): void {
  const { words } = books.sides[side];
  const word = Math.floor(number / 256);
  words.set(word, (words.get(word) ?? 0n) | (1n << BigInt(number % 256)));
}

/** Writes down a Reopened event: numbers can be delivered again. */
export function reopen(bridge: Bridge, books: Books, side: Side, word: bigint, mask: bigint): void {
  const { words } = books.sides[side];
  const origin = otherSide(side);
  const index = Number(word);
  words.set(index, (words.get(index) ?? 0n) & ~mask);
  for (let bit = 0; bit < 256; bit += 1) {
    if (((mask >> BigInt(bit)) & 1n) === 0n) continue;
    const number = index * 256 + bit;
    const id = bridge.ids[origin].computeId(number);
    const early = books.waiting.get(id);
    if (early !== undefined) books.waiting.set(id, { ...early, isReopened: true });
    const operation = books.sides[origin].misdelivered.get(number);
    if (operation === undefined) continue;
    books.sides[origin].misdelivered.delete(number);
    books.sides[origin].pending.set(id, operation);
    books.sums.get(operation.asset ?? '')?.addPending(operation.amount + operation.fee);
  }
}
