import { bridgeLockAbi } from '@causeway/protocol/abi';
import type { Address } from 'viem';
import type { Functions } from '../chain/abi-contract.ts';
import type { Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { onlyOwner, onlyPolicyManager } from './bridge-roles.ts';
import { revert } from './errors.ts';
import { listedToken, roomOf, withLimit, type LimitCeiling, type TokenState } from './token-state.ts';

/** Limits in atomic units and seconds. */
export interface Limits {
  readonly capacity: bigint;
  readonly window: bigint;
  readonly maxAmount: bigint;
}

/** A token as a constructor lists it. */
export interface TokenSetup {
  readonly token: Address;
  readonly granularityExponent: bigint;
  readonly unitExponent: bigint;
  readonly limits: Limits;
  readonly ceiling: Limits;
}

const EVENTS = eventsOf(bridgeLockAbi);
const MOST_UNITS = 2n ** 32n - 1n;
const MOST_MINUTES = 2n ** 16n - 1n;
const NO_CEILING: LimitCeiling = { capacity: 0n, maximum: 0n, windowMinutes: 0n };
const UNLISTED: TokenState = { ...listedToken(0n, 0n), mayBegin: false, mayDeliver: false };

/** A token; one that is not listed may do nothing. */
export const tokenOf = (frame: Frame, token: Address) => frame.read(`token ${token}`, UNLISTED);
export const writeToken = (frame: Frame, token: Address, state: TokenState) => frame.write(`token ${token}`, state);

const ceilingOf = (frame: Frame, token: Address) => frame.read(`ceiling ${token}`, NO_CEILING);
const nowOf = (frame: Frame) => BigInt(frame.block.timestamp);

/**
 * The state of a listed token.
 *
 * @throws Revert
 */
export function listed(frame: Frame, token: Address): TokenState {
  const state = tokenOf(frame, token);
  if (state === UNLISTED) revert('NotListed', token);
  return state;
}

/** Lists a token, as the constructor of BridgeTokens.sol. */
export function listToken(frame: Frame, { token, ceiling, limits, ...exponents }: TokenSetup): void {
  const { granularityExponent, unitExponent } = exponents;
  writeToken(frame, token, listedToken(granularityExponent, unitExponent));
  frame.emit(EVENTS.get('TokenListed'), token, granularityExponent, unitExponent);
  frame.emit(EVENTS.get('ListingSet'), token, true, true);
  setLimitCeiling(frame, token, ceiling);
  setOutflowLimit(frame, token, limits.capacity, limits.window);
  setMaxAmount(frame, token, limits.maxAmount);
}

/** BridgeTokens.sol. Tokens are listed by the constructor only. */
export function tokenFunctions(): Functions {
  return {
    tokenSettings: {
      run: (frame, [token]) => {
        const state = tokenOf(frame, token as Address);
        if (state === UNLISTED) return [false, false, 0n, 0n];
        return [state.mayBegin, state.mayDeliver, state.granularity, state.unit];
      },
    },
    outflowLimit: {
      run: (frame, [token]) => {
        const { capacity, unit, windowMinutes } = tokenOf(frame, token as Address);
        return [capacity * unit, windowMinutes * 60n];
      },
    },
    outflowRoom: { run: (frame, [token]) => roomOf(tokenOf(frame, token as Address), nowOf(frame)) },
    maxAmount: {
      run: (frame, [token]) => {
        const { maximum, unit } = tokenOf(frame, token as Address);
        return maximum * unit;
      },
    },
    limitCeiling: {
      run: (frame, [token]) => {
        const { capacity, maximum, windowMinutes } = ceilingOf(frame, token as Address);
        const { unit } = tokenOf(frame, token as Address);
        return { capacity: capacity * unit, window: windowMinutes * 60n, maxAmount: maximum * unit };
      },
    },
    setListing: {
      gas: 40_000n,
      run: (frame, [token, mayBegin, mayDeliver]) => {
        onlyOwner(frame);
        const state = listed(frame, token as Address);
        writeToken(frame, token as Address, { ...state, mayBegin: mayBegin === true, mayDeliver: mayDeliver === true });
        frame.emit(EVENTS.get('ListingSet'), token, mayBegin, mayDeliver);
      },
    },
    setLimitCeiling: {
      gas: 60_000n,
      run: (frame, [token, ceiling]) => {
        onlyOwner(frame);
        setLimitCeiling(frame, token as Address, ceiling as Limits);
      },
    },
    setOutflowLimit: {
      gas: 50_000n,
      run: (frame, [token, capacity, window]) => {
        onlyPolicyManager(frame);
        setOutflowLimit(frame, token as Address, capacity as bigint, window as bigint);
      },
    },
    setMaxAmount: {
      gas: 50_000n,
      run: (frame, [token, amount]) => {
        onlyPolicyManager(frame);
        setMaxAmount(frame, token as Address, amount as bigint);
      },
    },
  };
}

function setLimitCeiling(frame: Frame, token: Address, { capacity, window, maxAmount }: Limits): void {
  const state = listed(frame, token);
  const bound = {
    capacity: toUnits(capacity, state.unit),
    maximum: toUnits(maxAmount, state.unit),
    windowMinutes: toMinutes(window),
  };
  frame.write(`ceiling ${token}`, bound);
  frame.emit(EVENTS.get('LimitCeilingSet'), token, capacity, window, maxAmount);
  if (state.windowMinutes === 0n) return;
  const lower = state.capacity < bound.capacity ? state.capacity : bound.capacity;
  const longer = state.windowMinutes > bound.windowMinutes ? state.windowMinutes : bound.windowMinutes;
  if (lower !== state.capacity || longer !== state.windowMinutes) writeLimit(frame, token, lower, longer);
  if (state.maximum > bound.maximum) writeMaximum(frame, token, bound.maximum);
}

function setOutflowLimit(frame: Frame, token: Address, capacity: bigint, window: bigint): void {
  const { unit } = listed(frame, token);
  const ceiling = ceilingOf(frame, token);
  const [units, minutes] = [toUnits(capacity, unit), toMinutes(window)];
  if (units > ceiling.capacity) revert('AboveCeiling', capacity, ceiling.capacity * unit);
  if (minutes < ceiling.windowMinutes) revert('WindowBelowFloor', window, ceiling.windowMinutes * 60n);
  writeLimit(frame, token, units, minutes);
}

function setMaxAmount(frame: Frame, token: Address, amount: bigint): void {
  const { unit } = listed(frame, token);
  const units = toUnits(amount, unit);
  const { maximum } = ceilingOf(frame, token);
  if (units > maximum) revert('AboveCeiling', amount, maximum * unit);
  writeMaximum(frame, token, units);
}

function writeLimit(frame: Frame, token: Address, capacity: bigint, minutes: bigint): void {
  const state = tokenOf(frame, token);
  writeToken(frame, token, withLimit(state, capacity, minutes, nowOf(frame)));
  frame.emit(EVENTS.get('OutflowLimitSet'), token, capacity * state.unit, minutes * 60n);
}

function writeMaximum(frame: Frame, token: Address, maximum: bigint): void {
  const state = tokenOf(frame, token);
  writeToken(frame, token, { ...state, maximum });
  frame.emit(EVENTS.get('MaxAmountSet'), token, maximum * state.unit);
}

function toUnits(amount: bigint, unit: bigint): bigint {
  const units = amount / unit;
  if (units * unit !== amount || units > MOST_UNITS) revert('NotInUnits', amount, unit);
  return units;
}

function toMinutes(window: bigint): bigint {
  const minutes = window / 60n;
  if (minutes * 60n !== window || minutes === 0n || minutes > MOST_MINUTES) revert('InvalidWindow', window);
  return minutes;
}
