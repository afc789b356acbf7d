import { formatUnits, parseUnits } from 'viem';
import { assetInfo, type Asset } from '@causeway/contracts/assets';

const EXAMPLES: Readonly<Record<Asset, string>> = { ETH: '0.003 ETH', XCN: '1000 XCN' };

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/**
 * Reads an amount with its unit, such as `0.003 ETH`.
 *
 * @returns atomic units.
 * @throws Error when the unit is missing or of another asset, or when the amount has more decimals than the asset.
 */
export function parseWithUnit(asset: Asset, text: string): bigint {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*([a-z\d]*)$/i.exec(text.trim()) ?? [];
  const example = EXAMPLES[asset] ?? `5 ${asset}`;
  if (number === undefined || unit === undefined) {
    throw new Error(`"${text}" is not an amount: write a decimal number and its unit, such as "${example}"`);
  }
  if (unit === '') throw new Error(`"${text}" has no unit: write "${example}", not a number of atomic units`);
  if (unit.toUpperCase() !== asset) throw new Error(`"${text}" is an amount of ${unit}, but the asset is ${asset}`);
  const given = number.split('.')[1]?.length ?? 0;
  const { decimals } = assetInfo(asset);
  if (given > decimals) throw new Error(`"${text}" has ${given} decimals, but ${asset} has ${decimals}`);
  return parseUnits(number, decimals);
}

/** Writes atomic units as parseWithUnit reads them. */
export function formatWithUnit(asset: Asset, atomic: bigint): string {
  return `${formatUnits(atomic, assetInfo(asset).decimals)} ${asset}`;
}

/**
 * Reads a rate: `0.25%` or `25bps`.
 *
 * @returns basis points, 0 to 9,999.
 * @throws Error when the unit is missing, or when the rate is finer than a basis point or too high.
 */
export function parseRate(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)\s*(%|bps)$/i.exec(text.trim()) ?? [];
  if (number === undefined || unit === undefined) {
    throw new Error(`"${text}" is not a rate: write percent or basis points with the unit, such as "0.25%" or "25bps"`);
  }
  const places = unit === '%' ? 2 : 0;
  const decimals = number.split('.')[1]?.replace(/0+$/, '') ?? '';
  if (decimals.length > places) throw new Error(`"${text}" is finer than a basis point (0.01%)`);
  const bps = parseUnits(number, places);
  if (bps > 9_999n) throw new Error(`"${text}" is above the highest rate, 99.99%`);
  return Number(bps);
}

/** Writes basis points as parseRate reads them. */
export function formatRate(bps: number): string {
  return `${formatUnits(BigInt(bps), 2)}%`;
}

/**
 * Reads a duration: seconds, minutes, hours or days, such as `90s`, `30m`, `1h`, `2d`.
 *
 * @returns seconds.
 * @throws Error when the unit is missing.
 */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d{1,9})\s*([smhd])$/.exec(text.trim()) ?? [];
  if (number === undefined || unit === undefined) {
    throw new Error(`"${text}" is not a duration: write a whole number with the unit s, m, h or d, such as "1h"`);
  }
  return Number(number) * SECONDS[unit as keyof typeof SECONDS];
}

/** Writes seconds as parseDuration reads them, in the largest unit that divides them. */
export function formatDuration(seconds: number): string {
  const units = Object.entries(SECONDS).toReversed();
  const [unit, size] = units.find(([, length]) => seconds > 0 && seconds % length === 0) ?? ['s', 1];
  return `${seconds / size}${unit}`;
}
