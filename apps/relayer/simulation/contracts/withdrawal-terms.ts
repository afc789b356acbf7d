import { bridgeMintAbi } from '@causeway/protocol/abi';
import type { Address } from 'viem';
import type { Functions } from '../chain/abi-contract.ts';
import type { Frame } from '../chain/execution.ts';
import { eventsOf } from '../chain/parameters.ts';
import { onlyOwner, onlyPolicyManager } from './bridge-roles.ts';
import { listed, tokenOf } from './bridge-tokens.ts';
import { revert } from './errors.ts';

/** The fee of withdrawals of a token: a rate in basis points, and amounts in atomic units. */
interface FeePolicy {
  readonly bps: bigint;
  readonly minFee: bigint;
  readonly minAmount: bigint;
}

/** The fee of a token as the constructor sets it. */
export interface FeeSetup {
  readonly token: Address;
  readonly policy: FeePolicy;
  readonly ceiling: FeePolicy;
}

const EVENTS = eventsOf(bridgeMintAbi);
const NO_POLICY: FeePolicy = { bps: 0n, minFee: 0n, minAmount: 0n };
const WHOLE = 10_000n;

const policyOf = (frame: Frame, token: Address) => frame.read(`fee ${token}`, NO_POLICY);
const ceilingOf = (frame: Frame, token: Address) => frame.read(`fee ceiling ${token}`, NO_POLICY);

/** The fee policies of BridgeMint.sol, with FeeFormula.sol. */
export function feeFunctions(nativeUnit: bigint, isNative: (token: Address) => boolean): Functions {
  const listOf = ({ bps, minFee, minAmount }: FeePolicy) => [bps, minFee, minAmount];
  return {
    feePolicy: { run: (frame, [token]) => listOf(policyOf(frame, token as Address)) },
    feeCeiling: { run: (frame, [token]) => listOf(ceilingOf(frame, token as Address)) },
    quoteFee: {
      run: (frame, [token, amount]) => {
        const fee = feeOf(frame, token as Address, amount as bigint);
        const dust = (amount as bigint) % nativeUnit;
        if (isNative(token as Address) && dust !== 0n) revert('Dust', amount, nativeUnit);
        return fee;
      },
    },
    setFeePolicy: {
      gas: 40_000n,
      run: (frame, [token, policy]) => {
        onlyPolicyManager(frame);
        setFeePolicy(frame, token as Address, policy as FeePolicy);
      },
    },
    setFeeCeiling: {
      gas: 60_000n,
      run: (frame, [token, ceiling]) => {
        onlyOwner(frame);
        setFeeCeiling(frame, token as Address, ceiling as FeePolicy);
      },
    },
  };
}

/** Sets the fees of the constructor. */
export function setUpFees(frame: Frame, fees: readonly FeeSetup[]): void {
  for (const { token, policy, ceiling } of fees) {
    setFeeCeiling(frame, token, ceiling);
    setFeePolicy(frame, token, policy);
  }
}

/**
 * The fee of a withdrawal.
 *
 * @throws Revert when an amount cannot be withdrawn.
 */
export function feeOf(frame: Frame, token: Address, amount: bigint): bigint {
  const { bps, minFee, minAmount } = policyOf(frame, token);
  const { mayBegin, maximum, unit } = tokenOf(frame, token);
  if (!mayBegin || minAmount === 0n) revert('TokenNotAllowed', token);
  if (amount < minAmount) revert('BelowMinimum', amount, minAmount);
  if (amount > maximum * unit) revert('AboveMaximum', amount, maximum * unit);
  const fee = (amount * bps) / WHOLE;
  return fee < minFee ? minFee : fee;
}

function setFeePolicy(frame: Frame, token: Address, policy: FeePolicy): void {
  listed(frame, token);
  const ceiling = ceilingOf(frame, token);
  for (const field of ['bps', 'minFee', 'minAmount'] as const) {
    if (policy[field] > ceiling[field]) revert('AboveCeiling', policy[field], ceiling[field]);
  }
  checkMinimum(policy);
  writePolicy(frame, token, policy);
}

function setFeeCeiling(frame: Frame, token: Address, ceiling: FeePolicy): void {
  listed(frame, token);
  if (ceiling.bps >= WHOLE) revert('RateTooHigh', ceiling.bps);
  checkMinimum(ceiling);
  frame.write(`fee ceiling ${token}`, ceiling);
  frame.emit(EVENTS.get('FeeCeilingSet'), token, ceiling.bps, ceiling.minFee, ceiling.minAmount);
  const policy = policyOf(frame, token);
  const lower = (field: keyof FeePolicy) => (policy[field] < ceiling[field] ? policy[field] : ceiling[field]);
  const lowered = { bps: lower('bps'), minFee: lower('minFee'), minAmount: lower('minAmount') };
  const fields = Object.keys(lowered) as (keyof FeePolicy)[];
  if (fields.some((field) => lowered[field] < policy[field])) writePolicy(frame, token, lowered);
}

function checkMinimum({ minAmount, minFee }: FeePolicy): void {
  if (minAmount <= minFee) revert('MinimumNotAboveFee', minAmount, minFee);
}

function writePolicy(frame: Frame, token: Address, policy: FeePolicy): void {
  frame.write(`fee ${token}`, policy);
  frame.emit(EVENTS.get('FeePolicySet'), token, policy.bps, policy.minFee, policy.minAmount);
}
