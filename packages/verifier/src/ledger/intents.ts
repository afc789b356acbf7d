import type { Address, Hex } from 'viem';
import type { PaidEvent } from '../blocks/events.js';
import { computeFee } from '../checks/acceptance.js';
import { computeIntentId } from '../digests/ids.js';
import type { PlacedLog } from '../nodes/quorum-reader.js';
import { COIN } from '../settings.js';
import { MARKED, RIGHT, toFinding, type Books, type Bridge, type ExplainedIntent, type Waiting } from './books.js';
import type { FindingCode } from './finding.js';
import { isUsed, waitForBeginning } from './numbered.js';

/** A transfer to a relayer wallet. */
export interface ArrivedTransfer {
  readonly blockNumber: bigint;
  readonly sender: Address;
  /** In the units of the contract. */
  readonly amount: bigint;
  /** Unix seconds of its block. Only the transfers that pay intents have a deadline. */
  readonly timestamp?: bigint;
}

/** Takes the terms of a release, which its transaction's data has; null if it is not a release of an intent. */
export function explainIntent(bridge: Bridge, books: Books, id: Hex, terms: ExplainedIntent | null): void {
  const release = books.waiting.get(id);
  if (release?.want !== 'INTENT') return;
  if (terms === null) return waitForBeginning(bridge, books, release);
  const { transferId } = terms;
  books.waiting.delete(id);
  const isTransferUsed = isUsed(books, 'ethereum', transferId) || isUsed(books, 'partner', transferId);
  for (const paid of [id, transferId]) addFlags(books, 'ethereum', paid, MARKED);
  const wrong = findWrongTerm(bridge, release, terms);
  if (wrong !== null) return report(books, 'WRONG_INTENT', release, wrong);
  if (isTransferUsed) return report(books, 'TRANSFER_PAID_TWICE', release, `Transfer ${transferId} was used before.`);
  books.unswept.set(transferId, id);
  settleIntent(books, { ...release, want: 'SWEEP', intent: terms });
}

function findWrongTerm({ settings }: Bridge, release: Waiting, terms: ExplainedIntent): string | null {
  const id = computeIntentId(settings.partner, terms);
  if (id !== release.id) return `The terms of the release have the id ${id}.`;
  if (terms.recipient !== release.recipient) return `It paid ${release.recipient} instead of ${terms.recipient}.`;
  const amount = terms.amount - release.fee;
  return amount === release.amount ? null : `It paid ${release.amount} instead of ${amount}.`;
}

/** Once the fee of an intent follows from a policy, and its whole transfer was swept, only its payer is unknown. */
function settleIntent(books: Books, release: Waiting): void {
  const { id, intent, fee } = release;
  if (intent === null) return;
  const policies = books.policies.get(COIN) ?? [];
  const hasFee = policies.some(({ bps, minFee }) => computeFee(intent.amount, bps, minFee) === fee);
  const swept = books.sweeps.get(intent.transferId)?.find(({ amount }) => amount === intent.amount);
  if (!hasFee || swept === undefined) return books.waiting.set(id, { ...release, want: hasFee ? 'SWEEP' : 'FEE' });
  books.waiting.set(id, { ...release, want: 'PAYER', sweptAt: swept.blockNumber });
  books.unswept.delete(intent.transferId);
  books.sweeps.delete(intent.transferId);
}

/**
 * Takes the transfer that pays a released intent; null if it was not found near its sweep.
 *
 * @param hadCode whether a sender without code may have had some when the intent was accepted; null if it is not known.
 */
export function explainPayer(
  books: Books,
  id: Hex,
  transfer: Omit<ArrivedTransfer, 'blockNumber'> | null,
  hadCode: boolean | null,
): void {
  const release = books.waiting.get(id);
  if (release?.want !== 'PAYER' || release.intent === null) return;
  const { intent, asset, amount, fee } = release;
  books.waiting.delete(id);
  const isSigned = intent.isSigned !== false || hadCode;
  if (transfer === null || isSigned === null) books.undecided += 1;
  else if (transfer.sender !== intent.sender)
    return report(books, 'WRONG_INTENT', release, `${transfer.sender} made its transfer, not ${intent.sender}.`);
  else if (transfer.amount !== intent.amount)
    return report(books, 'WRONG_INTENT', release, `Its transfer has ${transfer.amount} instead of ${intent.amount}.`);
  else if ((transfer.timestamp ?? 0n) > intent.deadline)
    return report(books, 'WRONG_INTENT', release, 'Its transfer was mined after its deadline.');
  else if (!isSigned) return report(books, 'WRONG_INTENT', release, `${intent.sender} did not sign it.`);
  else if (intent.isSigned !== true) books.unasked += 1;
  for (const paid of [id, intent.transferId]) addFlags(books, 'ethereum', paid, RIGHT);
  books.sums.get(asset ?? '')?.add('intents', amount + fee);
}

/** Writes down a Swept event. */
export function sweep(books: Books, transferId: Hex, amount: bigint, blockNumber: bigint): void {
  books.sweeps.set(transferId, [...(books.sweeps.get(transferId) ?? []), { amount, blockNumber }]);
  const release = books.waiting.get(books.unswept.get(transferId) ?? '0x');
  if (release !== undefined) settleIntent(books, release);
}

/** A new policy of native XCN can explain the fees of releases that were read before it. */
export function recheckFees(books: Books): void {
  const releases = [...books.waiting.values()].filter(({ want }) => want === 'FEE');
  for (const release of releases) settleIntent(books, release);
}

/** Writes down a Refunded event. Native refunds return the wallet's own coin; for tokens the transfer is asked for. */
export function refund(bridge: Bridge, books: Books, event: PaidEvent, log: PlacedLog): void {
  const { id, token, recipient, amount, fee } = event;
  const asset = bridge.symbols.partner.get(token) ?? null;
  const { transactionHash, blockNumber } = log;
  const place = { transactionHash, blockNumber, intent: null, want: 'REFUND' as const };
  const paid: Waiting = { side: 'partner', id, asset, token, recipient, amount, fee, ...place };
  books.sums.get(asset ?? '')?.add('refunded', amount);
  if (asset === null) report(books, 'UNKNOWN_TOKEN', paid, `The settings have no asset with ${token}.`);
  if (isUsed(books, 'partner', id)) return report(books, 'PAID_TWICE', paid, 'The transfer was refunded before.');
  addFlags(books, 'partner', id, MARKED);
  if (isUsed(books, 'ethereum', id)) return report(books, 'TRANSFER_PAID_TWICE', paid, 'The transfer paid an intent.');
  if (token !== COIN) return books.waiting.set(id, paid);
  addFlags(books, 'partner', id, RIGHT);
}

/** Takes the transfer to a relayer wallet that has the id of a refund; null if there is none. */
export function explainRefund(books: Books, id: Hex, transfer: Pick<ArrivedTransfer, 'amount'> | null): void {
  const paid = books.waiting.get(id);
  if (paid?.want !== 'REFUND') return;
  books.waiting.delete(id);
  if (transfer === null) return report(books, 'WRONG_REFUND', paid, 'No transfer to a relayer wallet has this id.');
  if (transfer.amount !== paid.amount)
    return report(books, 'WRONG_REFUND', paid, `It paid ${paid.amount}; the transfer has ${transfer.amount}.`);
  addFlags(books, 'partner', id, RIGHT);
}

function addFlags(books: Books, side: 'ethereum' | 'partner', id: Hex, flags: number): void {
  const { paid } = books.sides[side];
  paid.set(id, (paid.get(id) ?? 0) | flags);
}

function report(books: Books, code: FindingCode, paid: Waiting, why: string): void {
  books.findings.push(toFinding(code, paid.side, paid, paid, why));
}
