const FIRST_PAUSE_MS = 1_000;
/** Short, because a probe is one small request and callers wait at most this long after a node recovers. */
const LONGEST_PAUSE_MS = 5_000;

/**
 * Decides whether a node is queried. Closed: it is. Open: it failed and is not queried until `untilMs`; then one probe
 * decides (half-open). Times in milliseconds of one clock.
 */
export type CircuitBreaker =
  { readonly kind: 'closed' } | { readonly kind: 'open'; readonly untilMs: number; readonly pauseMs: number };

/** The state of a node that has not failed. */
export const CLOSED: CircuitBreaker = { kind: 'closed' };

/**
 * Opens the breaker after a failure. Each failed probe doubles the pause, up to 5 seconds. Later failures of requests
 * that were pending when it opened have no effect.
 */
export function afterFailure(breaker: CircuitBreaker, nowMs: number): CircuitBreaker {
  if (breaker.kind === 'closed') return { kind: 'open', untilMs: nowMs + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS };
  if (nowMs < breaker.untilMs) return breaker;
  const pauseMs = Math.min(2 * breaker.pauseMs, LONGEST_PAUSE_MS);
  return { kind: 'open', untilMs: nowMs + pauseMs, pauseMs };
}

/** Returns whether a probe is due. */
export function mayProbe(breaker: CircuitBreaker, nowMs: number): boolean {
  return breaker.kind === 'open' && nowMs >= breaker.untilMs;
}
