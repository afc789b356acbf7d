import type { Hex } from 'viem';

/** What a contract's code on a chain must be, but for the immutables that its constructor writes into it. */
export interface CompiledCode {
  readonly code: Hex;
  /** Bytes that the constructor writes. */
  readonly immutables: readonly { readonly start: number; readonly length: number }[];
}

/** Whether the code on a chain is what was compiled. */
export function matchesCode(found: Hex | undefined, { code, immutables }: CompiledCode): boolean {
  return found !== undefined && blank(found, immutables) === blank(code, immutables);
}

function blank(code: Hex, immutables: CompiledCode['immutables']): string {
  const digits = code.toLowerCase().slice(2).split('');
  for (const { start, length } of immutables) digits.fill('0', 2 * start, 2 * (start + length));
  return digits.join('');
}
