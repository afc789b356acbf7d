import type { KEEPS_REVERTING } from '@causeway/store';
import type { BroadcastResult, Simulation } from '@causeway/chain';

/** Why a delivery waits. Users and operators see it as `delayedReason`. */
export type DelayReason =
  | 'FLOAT_SHORT'
  | 'OUTFLOW_LIMIT'
  | 'COLLATERAL_SHORT'
  | 'PAUSED'
  | 'NODE_UNAVAILABLE'
  | 'FEES_ABOVE_CAP'
  | 'ORIGIN_NOT_CONFIRMED'
  | 'NONCE_TAKEN'
  | 'DESTINATION_REVERTED'
  | typeof KEEPS_REVERTING
  | 'NODE_REFUSED';

const BY_ERROR: Readonly<Record<string, DelayReason>> = {
  OutflowLimitExceeded: 'OUTFLOW_LIMIT',
  InsufficientCollateral: 'COLLATERAL_SHORT',
  Paused: 'PAUSED',
};

/** The reason that a failed simulation gives. */
export function delayOfSimulation(simulation: Exclude<Simulation, { kind: 'ok' }>): DelayReason {
  switch (simulation.kind) {
    case 'insufficient-funds':
      return 'FLOAT_SHORT';
    case 'unreachable':
      return 'NODE_UNAVAILABLE';
    case 'reverted':
      return BY_ERROR[simulation.errorName] ?? 'DESTINATION_REVERTED';
  }
}

/** The reason that a broadcast gives; null when the transaction is on its way, or may be. */
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
