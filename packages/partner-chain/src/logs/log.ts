import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, bytesToBigInt } from '@ethereumjs/util';
import { keccak256 } from '../keccak256.js';

/** A log that a contract emitted. */
export interface Log {
  readonly address: Uint8Array;
  readonly topics: readonly Uint8Array[];
  readonly data: Uint8Array;
}

/** A log and its place in the chain. */
export interface PlacedLog extends Log {
  readonly blockNumber: number;
  /** Index in the block. */
  readonly logIndex: number;
  readonly transactionIndex: number;
  readonly transactionHash: Uint8Array;
}

/** Encodes a log for the database. */
export function encodeLog(log: Log, transactionIndex: number, transactionHash: Uint8Array): Uint8Array {
  return RLP.encode([
    bigIntToUnpaddedBytes(BigInt(transactionIndex)),
    transactionHash,
    log.address,
    [...log.topics],
    log.data,
  ]);
}

/** Decodes a row of `encodeLog`, and adds its place. */
export function decodeLog(bytes: Uint8Array, blockNumber: number, logIndex: number): PlacedLog {
  const [transactionIndex, transactionHash, address, topics, data] = RLP.decode(bytes) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array[],
    Uint8Array,
  ];
  return {
    address,
    topics,
    data,
    blockNumber,
    logIndex,
    transactionIndex: Number(bytesToBigInt(transactionIndex)),
    transactionHash,
  };
}

/** Computes the 2048-bit bloom filter of logs (Yellow Paper, section 4.4.1): three bits for each address and topic. */
export function logsBloom(logs: readonly Log[]): Uint8Array {
  const bloom = new Uint8Array(256);
  addToBloom(bloom, logs);
  return bloom;
}

/** Adds logs to a bloom filter, in place. */
export function addToBloom(bloom: Uint8Array, logs: readonly Log[]): void {
  for (const item of distinct(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const hash = keccak256(item);
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
      const byte = 255 - (bit >> 3);
      bloom[byte] = (bloom[byte] ?? 0) | (1 << (bit & 7));
    }
  }
}

/** Removes duplicates: most logs of a block come from few contracts, and a hash takes far longer than a lookup. */
function distinct(items: readonly Uint8Array[]): Iterable<Uint8Array> {
  return new Map(items.map((item) => [Buffer.from(item).toString('latin1'), item])).values();
}
