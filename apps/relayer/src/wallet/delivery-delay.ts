import type { BroadcastResult, Simulation } from '@causeway/chain';
import type { DelayReason, Side } from '@causeway/protocol';

const FIRST_RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 5 * 60_000;
const FIRST_PAUSE_AFTER_REVERT_MS = 60_000;
/** After this many reverted deliveries of one operation, only an operator starts another one. */
const MAX_REVERTS = 5;

const REASON_BY_ERROR: Readonly<Record<string, DelayReason>> = {
  OutflowLimitExceeded: 'OUTFLOW_LIMIT',
  InsufficientCollateral: 'COLLATERAL_SHORT',
  Paused: 'PAUSED',
};

/** Why and until when a delivery waits. `nextAttemptAt`: null when an operator must act first. */
export interface Delay {
  readonly reason: DelayReason;
  readonly nextAttemptAt: Date | null;
}

/**
 * Returns the delay reason of a failed simulation.
 *
 * @param side of the destination. BridgeMint has no collateral: only its float can be short.
 */
export function delayOfSimulation(simulation: Exclude<Simulation, { kind: 'ok' }>, side: Side): DelayReason {
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

/** Returns the delay reason of a broadcast, or null when the transaction is pending or may be. */
export function delayOfBroadcast(result: BroadcastResult): DelayReason | null {
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
 * Computes the time of the next attempt: the pause doubles with every attempt, up to five minutes. Attempts never end.
 *
 * @param attempts number of attempts so far.
 */
export function nextAttemptAt(nowMs: number, attempts: number): Date {
  return new Date(nowMs + Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts, 10)));
}

/**
 * Computes the delay after a delivery that was mined and reverted. Each one costs the relayer gas, so the pause starts
 * at one minute and grows fourfold. After the fifth revert the operation waits for an operator.
 *
 * @param reverts number of reverted deliveries of the operation, including this one.
 */
export function delayAfterRevert(nowMs: number, reverts: number): Delay {
  if (reverts >= MAX_REVERTS) return { reason: 'KEEPS_REVERTING', nextAttemptAt: null };
  const pauseMs = FIRST_PAUSE_AFTER_REVERT_MS * 4 ** Math.max(0, reverts - 1);
  return { reason: 'DESTINATION_REVERTED', nextAttemptAt: new Date(nowMs + pauseMs) };
}
