import type { BroadcastResult, Simulation, Submission } from '@causeway/chain';
import type { DelayReason, Side } from '@causeway/protocol';

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
/**
 * Limit for delays whose cause a read can recheck. The deliver stage rechecks more often; this bounds what it misses.
 */
const LONGEST_CHECK_MS = 30_000;
const FIRST_PAUSE_AFTER_REVERT_MS = 60_000;
const LONGEST_PAUSE_AFTER_REVERT_MS = 86_400_000;
/** The outflow limit can be raised at any time, so no operation waits longer than this for a refill. */
const LONGEST_REFILL_MS = 3 * 60_000;

const REASON_BY_ERROR: Readonly<Record<string, DelayReason>> = {
  OutflowLimitExceeded: 'OUTFLOW_LIMIT',
  InsufficientCollateral: 'COLLATERAL_SHORT',
  Paused: 'PAUSED',
};

/**
 * The delay reasons that a read can show to have cleared: funds, room, fees, a pause, nodes, the view of an origin,
 * attesters' verdicts.
 */
export const CLEARED_BY_A_READ: readonly DelayReason[] = [
  'FLOAT_SHORT',
  'COLLATERAL_SHORT',
  'OUTFLOW_LIMIT',
  'PAUSED',
  'FEES_ABOVE_CAP',
  'NODE_UNAVAILABLE',
  'ORIGIN_NOT_CONFIRMED',
  'ATTESTERS_UNAVAILABLE',
  'ATTESTERS_DISAGREE',
];

/** Why an operation waits, and until when. */
export interface Delay {
  readonly reason: DelayReason;
  readonly nextAttemptAt: Date;
}

/**
 * Returns the delay reason of a failed simulation.
 *
 * @param side the destination. BridgeMint has no collateral: only its float can be short.
 */
export function getSimulationDelay(simulation: Exclude<Simulation, { kind: 'ok' }>, side: Side): DelayReason {
  switch (simulation.kind) {
    case 'insufficient-funds':
      return 'FLOAT_SHORT';
    case 'unreachable':
      return 'NODE_UNAVAILABLE';
    case 'reverted':
      if (simulation.errorName === 'InsufficientCollateral' && side === 'partner') return 'FLOAT_SHORT';
      return REASON_BY_ERROR[simulation.errorName] ?? 'DESTINATION_REVERTED';
  }
}

/** Returns the delay reason of a call that the lane rejected. */
export function getRejectionDelay({ reason }: Extract<Submission, { kind: 'rejected' }>): DelayReason {
  return reason === 'balance-short' ? 'FLOAT_SHORT' : 'FEES_ABOVE_CAP';
}

/** Returns the delay reason of a broadcast, or null when the transaction is or may be pending. */
export function getBroadcastDelay(result: BroadcastResult): DelayReason | null {
  switch (result.kind) {
    case 'insufficient-funds':
      return 'FLOAT_SHORT';
    case 'refused':
      return 'NODE_REFUSED';
    case 'accepted':
    case 'known':
    case 'nonce-used':
    case 'underpriced':
    case 'unreachable':
      return null;
  }
}

/**
 * Computes the delay after a failed attempt. The delay doubles with every attempt, up to 30 seconds for causes that a
 * read can recheck and five minutes for others. Attempts never end.
 *
 * @param attempts number of attempts so far.
 */
export function delayAfterAttempt(reason: DelayReason, nowMs: number, attempts: number): Delay {
  const longest = CLEARED_BY_A_READ.includes(reason) ? LONGEST_CHECK_MS : LONGEST_RETRY_MS;
  const pauseMs = Math.min(longest, FIRST_RETRY_MS * 2 ** Math.min(attempts, 10));
  return { reason, nextAttemptAt: new Date(nowMs + pauseMs) };
}

/**
 * Computes the delay after a mined call that reverted. Each revert costs the relayer gas, so the delay starts at one
 * minute and grows fourfold, up to a day. The operation is then tried alone.
 *
 * @param reverts reverted calls of the operation, including this one.
 */
export function delayAfterRevert(nowMs: number, reverts: number): Delay {
  const pauseMs = FIRST_PAUSE_AFTER_REVERT_MS * 4 ** Math.min(Math.max(0, reverts - 1), 10);
  const nextAttemptAt = new Date(nowMs + Math.min(LONGEST_PAUSE_AFTER_REVERT_MS, pauseMs));
  return { reason: 'DESTINATION_REVERTED', nextAttemptAt };
}

/** Computes the delay until the outflow limit has room, at most three minutes. Null: unknown. */
export function computeRefillDelay(nowMs: number, refillMs: number | null): Delay {
  const pauseMs = Math.min(LONGEST_REFILL_MS, Math.max(FIRST_RETRY_MS, refillMs ?? LONGEST_REFILL_MS));
  return { reason: 'OUTFLOW_LIMIT', nextAttemptAt: new Date(nowMs + pauseMs) };
}
