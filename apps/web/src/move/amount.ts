/** Why an entered amount cannot be used. */
type AmountProblem =
  | 'SIGN'
  | 'EXPONENT'
  | 'COMMA'
  | 'SPACE'
  | 'POINTS'
  | 'SYMBOLS'
  | 'LETTERS'
  | 'ZERO'
  | 'TOO_LONG'
  | 'DECIMALS'
  | 'DUST';

/** The text that a user entered. */
export type ParsedAmount =
  | { readonly state: 'empty' }
  /** `remedy`: an amount that can be used instead. */
  | { readonly state: 'wrong'; readonly problem: AmountProblem; readonly remedy: string | null }
  | { readonly state: 'amount'; readonly amount: string };

/** The digits of an asset after the point: all of them, and those that both chains can move. */
export interface AssetDigits {
  readonly asset: string;
  readonly decimals: number;
  readonly movable: number;
}

/** Digits before the point in the largest amount of a contract. */
const MOST_WHOLE_DIGITS = 60;

const RULES: readonly (readonly [AmountProblem, RegExp])[] = [
  ['COMMA', /[,٫٬]/],
  ['SIGN', /^[+\-−–—]/],
  ['EXPONENT', /^[\d.]+e[+-]?\d+$/i],
  ['SPACE', /\d[\s'_]+[\d.]/],
  ['POINTS', /\..*\./],
  ['LETTERS', /\p{L}/u],
  ['SYMBOLS', /[^\d.]/],
];

/**
 * Parses an amount that a user typed or pasted. Surrounding spaces, the asset's own symbol and needless zeros are
 * removed; everything that people read in two ways is refused.
 */
export function parseAmount(text: string, { asset, decimals, movable }: AssetDigits): ParsedAmount {
  const symbol = new RegExp(`^${asset}\\s*(?=[\\d.])|(?<=[\\d.])\\s*${asset}$`, 'gi');
  const cleaned = text.trim().replace(symbol, '').trim();
  if (cleaned === '') return { state: 'empty' };
  const problem = RULES.find(([, pattern]) => pattern.test(cleaned))?.[0];
  if (problem !== undefined) return { state: 'wrong', problem, remedy: null };
  const [digits = '', places = ''] = cleaned.split('.');
  if (digits + places === '') return { state: 'wrong', problem: 'SYMBOLS', remedy: null };
  const whole = digits.replace(/^0+(?=\d)/, '') || '0';
  const fraction = places.replace(/0+$/, '');
  if (whole.length > MOST_WHOLE_DIGITS) return { state: 'wrong', problem: 'TOO_LONG', remedy: null };
  if (whole === '0' && fraction === '') return { state: 'wrong', problem: 'ZERO', remedy: null };
  if (fraction.length <= movable) return { state: 'amount', amount: join(whole, fraction) };
  const kept = join(whole, fraction.slice(0, movable).replace(/0+$/, ''));
  return {
    state: 'wrong',
    problem: fraction.length > decimals ? 'DECIMALS' : 'DUST',
    remedy: kept === '0' ? null : kept,
  };
}

function join(whole: string, fraction: string): string {
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
