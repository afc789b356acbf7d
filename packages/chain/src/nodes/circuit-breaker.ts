const FIRST_PAUSE_MS = 1_000;
/** A probe is one small request, and what waits for the node waits at most so long after its return. */
const LONGEST_PAUSE_MS = 5_000;

/**
 * Whether a node is asked. Closed: it is. Open: it failed, and nothing is asked until `untilMs`; then one probe decides
 * (half-open). Times in milliseconds of one clock.
 */
export type CircuitBreaker =
  { readonly kind: 'closed' } | { readonly kind: 'open'; readonly untilMs: number; readonly pauseMs: number };

/** The state of a node that has not failed. */
export const CLOSED: CircuitBreaker = { kind: 'closed' };

/**
 * Opens the breaker after a failure. Each failed probe doubles the pause, up to 5 seconds. Requests that were pending
 * when it opened fail later, and change nothing.
 */
export function afterFailure(breaker: CircuitBreaker, nowMs: number): CircuitBreaker {
  if (breaker.kind === 'closed') return { kind: 'open', untilMs: nowMs + FIRST_PAUSE_MS, pauseMs: FIRST_PAUSE_MS };
  if (nowMs < breaker.untilMs) return breaker;
  const pauseMs = Math.min(2 * breaker.pauseMs, LONGEST_PAUSE_MS);
  return { kind: 'open', untilMs: nowMs + pauseMs, pauseMs };
}

/** Whether a probe is due. */
export function mayProbe(breaker: CircuitBreaker, nowMs: number): boolean {
  return breaker.kind === 'open' && nowMs >= breaker.untilMs;
}
