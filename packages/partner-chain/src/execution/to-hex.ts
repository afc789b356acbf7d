/** Bytes as 0x-hex that takes two bytes of memory for each: EthereumJS puts it together of a string for every byte, which takes 32 and far longer. */
export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}
