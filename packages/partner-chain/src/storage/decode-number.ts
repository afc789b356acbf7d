/** The number in the 8 bytes at `offset` (see encodeNumber). */
export function decodeNumber(bytes: Uint8Array, offset = 0): number {
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readBigUInt64BE(offset));
}
