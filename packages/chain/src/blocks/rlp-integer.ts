import { trim, type Hex } from 'viem';

/** An integer of JSON-RPC as RLP wants it: without leading zeros, zero (and nothing) as nothing. */
export function rlpInteger(value: Hex | null | undefined): Hex {
  if (!value) return '0x';
  const trimmed = trim(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`);
  return trimmed === '0x00' ? '0x' : trimmed;
}
