/** Encodes a number as 8 bytes, big-endian, so that keys sort like numbers. */
export function encodeNumber(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

/** Decodes the number in the 8 bytes at `offset` (see `encodeNumber`). */
export function decodeNumber(bytes: Uint8Array, offset = 0): number {
  return Number(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).readBigUInt64BE(offset));
}

/** Returns the key of an item of a block: block number, then the index of a transaction, receipt or log. */
export function placeKey(blockNumber: number, index: number): Buffer {
  return Buffer.concat([encodeNumber(blockNumber), encodeNumber(index)]);
}

/** Returns the key range of all rows of a range of blocks, both inclusive. */
export function blockRange(fromBlock: number, toBlock = fromBlock): { start: Buffer; end: Buffer } {
  return { start: encodeNumber(fromBlock), end: encodeNumber(toBlock + 1) };
}
