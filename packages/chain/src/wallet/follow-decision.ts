import { isOutbid, type FeeMarket } from './fees.js';
import type { PendingCall } from './ports.js';

/** Pause between two broadcasts of the transaction that is next, and of those behind it. Nodes may drop either. */
const LOWEST_AGAIN_MS = 4_000;
const OTHERS_AGAIN_MS = 30_000;
/** How long a withheld call may hold up the calls behind it before its nonce is used for nothing. */
const WITHHELD_MS = 60_000;

/** The memory of the lane about a call. Times in epoch milliseconds; null: never in this process. */
interface Remembered {
  readonly sentAtMs: number | null;
  readonly withheldSinceMs: number | null;
}

/**
 * Finds the nonces that the chain waits for and no pending call holds: a reorg or a restored backup lost them. Every
 * later transaction waits for them.
 *
 * @param chainNonce transactions of the wallet that are mined.
 * @param nextNonce the first nonce that the journal never gave.
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

/** Whether the last transaction of an unmined call should be broadcast again now. */
export function isBroadcastDue(isLowest: boolean, { sentAtMs }: Remembered, nowMs: number): boolean {
  return sentAtMs === null || nowMs - sentAtMs >= (isLowest ? LOWEST_AGAIN_MS : OTHERS_AGAIN_MS);
}

/** Whether a withheld call has held up others for so long that its nonce should be used for nothing. */
export function isCancellationDue(hasCallsBehind: boolean, { withheldSinceMs }: Remembered, nowMs: number): boolean {
  return hasCallsBehind && withheldSinceMs !== null && nowMs - withheldSinceMs >= WITHHELD_MS;
}

/**
 * Whether a transaction is to be replaced by one with higher fees: only that of the lowest unmined nonce, which has
 * waited long enough, and only when the market has risen above it. What waits behind it plays no part.
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
