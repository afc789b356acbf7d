import type { Fees } from '../transactions/sign-transaction.js';
import type { InFlight, PendingCall } from './ports.js';

const DAY_MS = 86_400_000;

/** The amounts that the operator allows a wallet to spend, in wei of the chain. */
export interface SpendingLimits {
  /** Kept for gas: calls that carry value of the wallet's own leave it there. */
  readonly gasReserve: bigint;
  /** Maximum per gas. */
  readonly maxFeePerGas: bigint;
  /** Maximum fee of a call for each delivery that it carries. */
  readonly maxFeePerDelivery: bigint;
  /** Maximum fees of any 24 hours. */
  readonly maxDailyFees: bigint;
}

/** The coin that the wallet can spend now: its balance less everything in flight, and the fees it paid today. */
export interface Books {
  readonly available: bigint;
  /** Paid in the last 24 hours, and the most that the calls in flight can cost. */
  readonly feesToday: bigint;
}

/** The wallet at one block, `head`. */
export interface WalletState {
  readonly head: bigint;
  /** Transactions of the wallet that are mined. */
  readonly chainNonce: bigint;
  /** In wei of the RPC. */
  readonly balance: bigint;
}

/** The lane at one block. Amounts in wei of the RPC. */
export interface LaneView<C> extends WalletState {
  /** The next nonce that no call has. */
  readonly nextNonce: bigint;
  /** The pending calls whose nonces that block has, and those that it does not have. */
  readonly mined: readonly C[];
  readonly unmined: readonly C[];
  readonly books: Books;
  /** As much may leave the wallet as value. */
  readonly spendable: bigint;
}

/** A call to be admitted, with the fees that it would offer. `deliveries`: how many it carries, at least 1. */
interface Offer {
  readonly value: bigint;
  readonly gas: bigint;
  readonly fees: Fees;
  readonly deliveries: number;
  readonly isPassedOn?: boolean;
}

/** Why a call gets no nonce. */
export type Rejection = 'balance-short' | 'fee-per-delivery' | 'fees-of-the-day';

/** When the day began whose fees count, for a time in epoch milliseconds. */
export function getFeesStart(nowMs: number): Date {
  return new Date(nowMs - DAY_MS);
}

/** The most that a call in flight can take from the wallet, whichever of its transactions is mined. */
export function committed(call: PendingCall): bigint {
  return call.value + computeMaxFee(call);
}

/** The most gas fees that a call in flight can cost. */
function computeMaxFee({ transactions }: PendingCall): bigint {
  return transactions.reduce((most, { gas, maxFeePerGas }) => larger(most, gas * maxFeePerGas), 0n);
}

/** Sums the most that calls in flight can take from the wallet, whichever of their transactions are mined. */
export function sumInFlight(unmined: readonly PendingCall[]): InFlight {
  return {
    value: unmined.reduce((sum, { value }) => sum + value, 0n),
    fees: unmined.reduce((sum, call) => sum + computeMaxFee(call), 0n),
  };
}

/**
 * Computes the books. The calls in flight and the balance must be of the same block.
 *
 * @param inFlight of the calls whose nonces that block does not have yet.
 */
export function computeBooks(balance: bigint, { value, fees }: InFlight, feesPaid: bigint): Books {
  return { available: balance - value - fees, feesToday: feesPaid + fees };
}

/** Computes the value that may leave the wallet: all but the gas reserve. */
export function spendable({ available }: Books, { gasReserve }: SpendingLimits): bigint {
  return available > gasReserve ? available - gasReserve : 0n;
}

/** Admits a call to the books. The result is the books after it, or why it gets no nonce. */
export function admit(books: Books, offer: Offer, limits: SpendingLimits): Books | Rejection {
  const fee = offer.gas * offer.fees.maxFeePerGas;
  if (fee > limits.maxFeePerDelivery * BigInt(offer.deliveries)) return 'fee-per-delivery';
  if (books.feesToday + fee > limits.maxDailyFees) return 'fees-of-the-day';
  const available = books.available - offer.value - fee;
  const isOwn = offer.value > 0n && offer.isPassedOn !== true;
  if (available < (isOwn ? limits.gasReserve : 0n)) return 'balance-short';
  return { available, feesToday: books.feesToday + fee };
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
