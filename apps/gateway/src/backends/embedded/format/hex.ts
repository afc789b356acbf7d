import type { Hex } from 'viem';

/** Bytes as 0x-hex. */
export function hex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
