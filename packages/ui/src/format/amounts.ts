import type { Asset } from '@causeway/protocol';
import { assetInfo, getCoin } from '@causeway/protocol/admin';

/** Separates thousands in the whole part of a plain decimal such as `-12345.5`. */
export function groupDigits(decimal: string): string {
  const [whole = '', fraction] = decimal.split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** Writes atomic units exactly, as a plain decimal without trailing zeros. */
export function formatUnits(atomic: bigint, decimals: number): string {
  const sign = atomic < 0n ? '-' : '';
  const digits = (atomic < 0n ? -atomic : atomic).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}

/**
 * Formats an amount of atomic units exactly, with thousands separators.
 *
 * @param atomic a whole number in the form of the API, such as `-1500000`.
 * @example
 * ```ts
 * formatAmount('USDC', '1234500000'); // '1,234.5'
 * ```
 */
export function formatAmount(asset: Asset, atomic: string): string {
  return groupDigits(formatUnits(BigInt(atomic), assetInfo(asset).decimals));
}

/** Formats wei exactly, with the chain's coin, or in gwei below 0.0001 coins. */
export function formatWei(wei: string, side: 'ethereum' | 'partner'): string {
  const amount = BigInt(wei);
  const isSmall = amount < 10n ** 14n && amount > -(10n ** 14n) && amount !== 0n;
  return isSmall
    ? `${groupDigits(formatUnits(amount, 9))} gwei`
    : `${groupDigits(formatUnits(amount, 18))} ${getCoin(side)}`;
}

/** Shortens a hash or an address to its first and last digits. */
export function shorten(hex: string, head = 6, tail = 4): string {
  return hex.length <= head + tail + 2 ? hex : `${hex.slice(0, head + 2)}…${hex.slice(-tail)}`;
}
