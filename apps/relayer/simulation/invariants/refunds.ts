import type { Address, Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import { assertSame, ViolationError } from '../outcome.ts';
import { FORWARDER } from '../environment/people.ts';
import type { Simulation } from '../environment/simulation.ts';
import { isDust, getRefundId, type Arrival } from './arrivals.ts';
import type { RefundBook } from '../database/books.ts';
import { shownRefunds, type ShownRefund } from './departures.ts';

/** Gas that is deducted from a refund of ETH on Ethereum. */
const DEDUCTED_GAS = 21_000n;

/** Whether the gas of a refund costs at least half of its amount at the usual price. Such a refund is never paid. */
export function isTooSmall(
  { bridge }: Simulation,
  { chainId, asset, amount }: Pick<RefundBook, 'chainId' | 'asset' | 'amount'>,
) {
  const isLessGas = asset === 'ETH' && chainId === BOOK.ethereum.chainId;
  return isLessGas && amount <= 2n * DEDUCTED_GAS * bridge.ethereum.input.baseFeePerGas;
}

/**
 * Each refund belongs to an arrival and is paid once, with its terms. No other payment of this kind leaves the wallet.
 *
 * @returns the ids of the paid refunds.
 * @throws ViolationError
 */
export function checkRefunds(simulation: Simulation, arrivals: readonly Arrival[]): ReadonlySet<Hex> {
  const byRefund = new Map(arrivals.map((arrival) => [getRefundId(arrival), arrival]));
  const owed = new Map<Hex, ShownRefund>();
  for (const refund of simulation.database.refunds) {
    const { id, status, asset, amount, payer } = refund;
    const arrival = byRefund.get(id);
    if (arrival === undefined || isDust(arrival) || arrival.amount !== amount || arrival.payer !== payer)
      throw new ViolationError('a refund is of an arrival', `${id} of ${amount} ${asset}`);
    if (status === 'COMPLETED') owed.set(id, getPayment(simulation, refund, arrival));
  }
  assertSame(
    'the chains have the refunds of the books',
    [...owed.values()].map(formatLine),
    shownRefunds(simulation).map(formatLine),
  );
  return new Set(owed.keys());
}

/** The payment of a completed refund, by the books. */
function getPayment(simulation: Simulation, { id, asset, amount, payment }: RefundBook, arrival: Arrival): ShownRefund {
  const { calls } = simulation.database;
  const paying = calls.filter(({ refundId, state }) => refundId === id && state === 'SUCCEEDED');
  if (paying.length !== 1) throw new ViolationError('a refund is paid once', `${id}: ${paying.length} times`);
  if (payment === null) throw new ViolationError('a paid refund has its terms', id);
  const { paidAmount, gasFee, dust, recipient } = payment;
  const { side } = arrival;
  const isWhole = paidAmount + gasFee + dust === amount;
  const hasRightFee = asset === 'ETH' && side === 'ethereum' ? paidAmount > 0n && gasFee > 0n : paidAmount === amount;
  if (!isWhole || !hasRightFee || recipient !== findRecipient(simulation, arrival))
    throw new ViolationError('a refund has the terms of its arrival', `${id}: ${paidAmount} of ${amount}`);
  return { side, asset, recipient, amount: paidAmount, id: asset === 'ETH' && side === 'ethereum' ? null : id };
}

/** The recipient of a refund: the payer, or the person behind the forwarder. */
function findRecipient({ bridge }: Simulation, { payer, txHash, side }: Arrival): Address | undefined {
  if (payer !== FORWARDER) return payer;
  const place = bridge[side].place(txHash);
  return place?.block.mined[place.index]?.transaction.from;
}

function formatLine({ side, asset, recipient, amount, id }: ShownRefund): string {
  return `${side} ${asset} ${recipient} ${amount} ${id ?? ''}`;
}
