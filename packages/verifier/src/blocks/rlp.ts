import { numberToHex, type Hex } from 'viem';

/** RLP as viem takes it: bytes, or a list. */
export type Rlp = Hex | readonly Rlp[];

/** An integer in RLP: no leading zeros, and zero is empty. */
export function toRlpInteger(value: bigint): Hex {
  if (value === 0n) return '0x';
  const digits = numberToHex(value).slice(2);
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`;
}
