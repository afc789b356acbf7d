import type { ConfigResponse, Side } from '@causeway/protocol';
import { formatUnits, parseUnits } from 'viem';
import { InvalidInputError } from './errors.js';

/** An asset on one chain, from the bridge's configuration. The zero address is the native coin. */
export type Token = ConfigResponse['ethereum']['tokens'][number];

const MAX_UINT256 = 2n ** 256n - 1n;

/** Significant digits of an amount in a message. */
const MOST_DIGITS = 5;

/**
 * Finds an asset on a side.
 *
 * @throws InvalidInputError (field `asset`) for an unknown asset.
 */
export function findAsset(config: ConfigResponse, side: Side, asset: string): Token {
  const { tokens } = config[side];
  const token = tokens.find((each) => each.token === asset);
  if (token === undefined)
    throw new InvalidInputError('asset', `must be one of ${tokens.map((each) => each.token).join(', ')}`);
  return token;
}

/**
 * Validates the form of an amount entered by a user: digits with at most one decimal point; no sign, exponent or
 * separator.
 *
 * @throws InvalidInputError (field `amount`).
 */
export function assertDecimal(amount: string): void {
  if (typeof amount !== 'string' || !/^(0|[1-9]\d{0,77})(\.\d{1,77})?$/.test(amount))
    throw new InvalidInputError('amount', 'must be a plain decimal in text, such as "12.5"');
}

/**
 * Parses an amount: a plain decimal in whole coins, or atomic units. A decimal cannot have more digits than both chains
 * can move: the asset's decimals minus the zeros of its granularity. Atomic units with such dust are returned
 * unchanged: the check of a transfer reports the dust.
 *
 * @returns atomic units, from 0 to 2^256 - 1.
 * @throws InvalidInputError (field `amount`).
 */
export function parseTokenAmount({ token, decimals, granularity }: Token, amount: string | bigint): bigint {
  const digits = decimals - (granularity.length - 1);
  if (typeof amount !== 'bigint') {
    assertDecimal(amount);
    if ((amount.split('.')[1] ?? '').length > digits)
      throw new InvalidInputError('amount', `has more digits after the point than ${token} has (${digits})`);
  }
  const units = typeof amount === 'bigint' ? amount : parseUnits(amount, decimals);
  if (units < 0n || units > MAX_UINT256) throw new InvalidInputError('amount', 'must be from 0 to 2^256 - 1 units');
  return units;
}

/** Formats atomic units as a plain decimal without trailing zeros. */
export function formatTokenAmount({ decimals }: Token, amount: bigint): string {
  return formatUnits(amount, decimals);
}

/** The fields of a token that formatting an amount needs. */
export type Unit = Pick<Token, 'token' | 'decimals' | 'granularity'>;

/**
 * Rounds an amount for a message: to five significant digits or whole coins, in multiples of the granularity.
 *
 * @param rounding `down` for balances and maximums, `up` for fees and minimums.
 */
export function roundAmount({ decimals, granularity }: Unit, amount: bigint, rounding: 'up' | 'down'): bigint {
  const digits = Math.min(`${amount}`.length - MOST_DIGITS, decimals);
  const step = 10n ** BigInt(Math.max(digits, granularity.length - 1));
  return ((amount + (rounding === 'up' ? step - 1n : 0n)) / step) * step;
}

/** Formats an amount for a message, such as "0.0312 ETH"; exact without `rounding`. */
export function describeAmount(unit: Unit, amount: bigint, rounding?: 'up' | 'down'): string {
  const rounded = rounding === undefined ? amount : roundAmount(unit, amount, rounding);
  return `${formatUnits(rounded, unit.decimals)} ${unit.token}`;
}
