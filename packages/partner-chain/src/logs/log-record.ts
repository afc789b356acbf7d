import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, bytesToBigInt } from '@ethereumjs/util';
import type { Log, PlacedLog } from './log.js';

/** A log as the database keeps it. */
export function encodeLog(log: Log, transactionIndex: number, transactionHash: Uint8Array): Uint8Array {
  return RLP.encode([
    bigIntToUnpaddedBytes(BigInt(transactionIndex)),
    transactionHash,
    log.address,
    [...log.topics],
    log.data,
  ]);
}

/** The log of such bytes, at its place. */
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
