/** A number as 8 bytes, big-endian, so that keys sort as the numbers do. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}
