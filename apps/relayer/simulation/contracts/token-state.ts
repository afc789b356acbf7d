/** What a bridge contract keeps of a token (TokenState.sol). Limits count in units. */
export interface TokenState {
  readonly granularity: bigint;
  readonly unit: bigint;
  readonly mayBegin: boolean;
  readonly mayDeliver: boolean;
  readonly windowMinutes: bigint;
  /** Seconds. */
  readonly updatedAt: bigint;
  readonly maximum: bigint;
  readonly capacity: bigint;
  readonly used: bigint;
  /** In atomic units: credits, and fees on Ethereum. */
  readonly reserved: bigint;
}

/** The ceilings of a token, in units and minutes. */
export interface LimitCeiling {
  readonly capacity: bigint;
  readonly maximum: bigint;
  readonly windowMinutes: bigint;
}

/** A token that was just listed: without limits, so that nothing is delivered yet. */
export function listedToken(granularityExponent: bigint, unitExponent: bigint): TokenState {
  return {
    granularity: 10n ** granularityExponent,
    unit: 10n ** unitExponent,
    mayBegin: true,
    mayDeliver: true,
    windowMinutes: 0n,
    updatedAt: 0n,
    maximum: 0n,
    capacity: 0n,
    used: 0n,
    reserved: 0n,
  };
}

/** The level of the outflow bucket (OutflowLimit.sol), in units. */
function level({ used, updatedAt, capacity, windowMinutes }: TokenState, now: bigint): bigint {
  if (windowMinutes === 0n) return used;
  const drained = (capacity * (now - updatedAt)) / (windowMinutes * 60n);
  return used > drained ? used - drained : 0n;
}

/** What may leave now, in atomic units. */
export function roomOf(state: TokenState, now: bigint): bigint {
  const used = level(state, now);
  return state.capacity > used ? (state.capacity - used) * state.unit : 0n;
}

/** Counts what leaves against the limit; null when there is no room. */
export function count(state: TokenState, asked: bigint, now: bigint): TokenState | null {
  const used = level(state, now) + (asked + state.unit - 1n) / state.unit;
  return used > state.capacity ? null : { ...state, used, updatedAt: now };
}

/** Changes the limit. What has drained until now was drained by the former one. */
export function withLimit(state: TokenState, capacity: bigint, windowMinutes: bigint, now: bigint): TokenState {
  return { ...state, used: level(state, now), updatedAt: now, capacity, windowMinutes };
}
