import type { ConfigResponse } from '@causeway/protocol';
import { formatUnits, parseUnits } from 'viem';
import { InvalidInputError } from './errors.js';

/** An asset on one chain, as the configuration of the bridge names it. The zero address is the coin of the chain. */
export type Token = ConfigResponse['ethereum']['tokens'][number];

const MAX_UINT256 = 2n ** 256n - 1n;

/**
 * Checks the form of an amount that a person wrote: digits with at most one point, no sign, exponent or separator.
 *
 * @throws InvalidInputError (field `amount`).
 */
export function assertDecimal(amount: string): void {
  if (typeof amount !== 'string' || !/^(0|[1-9]\d{0,77})(\.\d{1,77})?$/.test(amount))
    throw new InvalidInputError('amount', 'must be a plain decimal in text, such as "12.5"');
}

/**
 * Reads an amount: a plain decimal in whole coins, or atomic units. A decimal has no more digits after the point than
 * both chains can move: those of the asset less the zeros of its granularity. Atomic units are not rounded or refused
 * for that: the check of a transfer finds such dust.
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

/** Writes atomic units as a plain decimal without trailing zeros. */
export function formatTokenAmount({ decimals }: Token, amount: bigint): string {
  return formatUnits(amount, decimals);
}
