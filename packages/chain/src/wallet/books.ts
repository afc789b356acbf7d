import type { Fees } from '../transactions/sign-transaction.js';
import type { InFlight, PendingCall } from './ports.js';

const DAY_MS = 86_400_000;

/** The operator's spending limits for a wallet, in wei of the chain. */
export interface SpendingLimits {
  /** Balance kept for gas. Calls that send the wallet's own coin must leave it. */
  readonly gasReserve: bigint;
  /** Maximum fee per gas. */
  readonly maxFeePerGas: bigint;
  /** Maximum fee of a call per delivery that it carries. */
  readonly maxFeePerDelivery: bigint;
  /** Maximum fees in any 24 hours. */
  readonly maxDailyFees: bigint;
}

/** The wallet's available balance (balance minus everything in flight) and its fees of the last 24 hours. */
export interface Books {
  readonly available: bigint;
  /** Fees paid in the last 24 hours plus the maximum fees of the calls in flight. */
  readonly feesToday: bigint;
}

/** The wallet at one block, `head`. */
export interface WalletState {
  readonly head: bigint;
  /** Number of mined transactions of the wallet. */
  readonly chainNonce: bigint;
  /** In wei of the RPC. */
  readonly balance: bigint;
}

/** The lane at one block. Amounts in wei of the RPC. */
export interface LaneView<C> extends WalletState {
  /** The lowest nonce above all calls. */
  readonly nextNonce: bigint;
  /** Pending calls whose nonces are used at `head`; `unmined`: the other pending calls. */
  readonly mined: readonly C[];
  readonly unmined: readonly C[];
  readonly books: Books;
  /** Value that may leave the wallet. */
  readonly spendable: bigint;
}

/** A call to admit, with its offered fees. `deliveries`: how many it carries, at least 1. */
interface Offer {
  readonly value: bigint;
  readonly gas: bigint;
  readonly fees: Fees;
  readonly deliveries: number;
  readonly isPassedOn?: boolean;
}

/** Why a call is not admitted. */
export type Rejection = 'balance-short' | 'fee-per-delivery' | 'fees-of-the-day';

/** Returns the start of the 24 hours whose fees count, for a time in epoch milliseconds. */
export function getFeesStart(nowMs: number): Date {
  return new Date(nowMs - DAY_MS);
}

/** Computes the most that a call in flight can cost, whichever of its transactions is mined. */
export function committed(call: PendingCall): bigint {
  return call.value + computeMaxFee(call);
}

/** Computes the highest possible gas fee of a call in flight. */
function computeMaxFee({ transactions }: PendingCall): bigint {
  return transactions.reduce((most, { gas, maxFeePerGas }) => larger(most, gas * maxFeePerGas), 0n);
}

/** Sums the most that calls in flight can cost, whichever of their transactions are mined. */
export function sumInFlight(unmined: readonly PendingCall[]): InFlight {
  return {
    value: unmined.reduce((sum, { value }) => sum + value, 0n),
    fees: unmined.reduce((sum, call) => sum + computeMaxFee(call), 0n),
  };
}

/**
 * Computes the available balance and the fees. The calls in flight and the balance must be of the same block.
 *
 * @param inFlight of the calls whose nonces are unused at that block.
 */
export function computeBooks(balance: bigint, { value, fees }: InFlight, feesPaid: bigint): Books {
  return { available: balance - value - fees, feesToday: feesPaid + fees };
}

/** Computes the value that may leave the wallet: all except the gas reserve. */
export function spendable({ available }: Books, { gasReserve }: SpendingLimits): bigint {
  return available > gasReserve ? available - gasReserve : 0n;
}

/** Admits a call. Returns the books after it, or the reason for its rejection. */
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
