import { isOutbid, type FeeMarket } from './fees.js';
import type { PendingCall } from './ports.js';

/** Intervals of rebroadcast for the lowest nonce and for later ones, because nodes may drop transactions. */
const LOWEST_AGAIN_MS = 4_000;
const OTHERS_AGAIN_MS = 30_000;
/** How long a withheld call may block later calls before it is cancelled. */
const WITHHELD_MS = 60_000;

/** The lane's memory of a call. Times in epoch milliseconds; null: never in this process. */
interface Remembered {
  readonly sentAtMs: number | null;
  readonly withheldSinceMs: number | null;
}

/**
 * Finds nonce gaps: nonces that the chain expects and no pending call has, after a reorg or a restored backup. Every
 * later transaction waits for them.
 *
 * @param chainNonce number of mined transactions of the wallet.
 * @param nextNonce the lowest nonce that the journal never assigned.
 * @param unmined the pending calls from `chainNonce` on.
 */
export function missingNonces(
  chainNonce: bigint,
  nextNonce: bigint,
  unmined: readonly Pick<PendingCall, 'nonce'>[],
): bigint[] {
  const held = new Set(unmined.map(({ nonce }) => nonce));
  const missing: bigint[] = [];
  for (let nonce = chainNonce; nonce < nextNonce; nonce++) if (!held.has(nonce)) missing.push(nonce);
  return missing;
}

/** Returns whether to rebroadcast the last transaction of an unmined call. */
export function isBroadcastDue(isLowest: boolean, { sentAtMs }: Remembered, nowMs: number): boolean {
  return sentAtMs === null || nowMs - sentAtMs >= (isLowest ? LOWEST_AGAIN_MS : OTHERS_AGAIN_MS);
}

/** Returns whether a withheld call has blocked later calls for too long and must be cancelled. */
export function isCancellationDue(hasCallsBehind: boolean, { withheldSinceMs }: Remembered, nowMs: number): boolean {
  return hasCallsBehind && withheldSinceMs !== null && nowMs - withheldSinceMs >= WITHHELD_MS;
}

/**
 * Returns whether to replace a transaction by one with higher fees: only that of the lowest unmined nonce, after
 * `replaceAfterMs`, and only if the market has risen above it. Later calls do not matter.
 */
export function isReplacementDue(
  call: PendingCall,
  chainNonce: bigint,
  market: FeeMarket,
  nowMs: number,
  replaceAfterMs: number,
): boolean {
  const last = call.transactions.at(-1);
  if (last === undefined || call.nonce !== chainNonce) return false;
  return nowMs - last.createdAt.getTime() >= replaceAfterMs && isOutbid(last, market);
}
