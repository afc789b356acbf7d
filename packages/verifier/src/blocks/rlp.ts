import { numberToHex, type Hex } from 'viem';

/** RLP in viem's form: bytes, or a list. */
export type Rlp = Hex | readonly Rlp[];

/** An integer in RLP: without leading zeros; zero is empty. */
export function toRlpInteger(value: bigint): Hex {
  if (value === 0n) return '0x';
  const digits = numberToHex(value).slice(2);
  return digits.length % 2 === 0 ? `0x${digits}` : `0x0${digits}`;
}
