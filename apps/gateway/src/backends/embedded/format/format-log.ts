import type { PlacedLog, StoredBlock } from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { hex } from './hex.js';
import { quantity } from './quantity.js';

/** A log in the JSON shape of the Ethereum JSON-RPC. */
export interface RpcLog {
  readonly address: Hex;
  readonly topics: readonly Hex[];
  readonly data: Hex;
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly blockTimestamp: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  readonly removed: false;
}

/** @param block the block the log is in. */
export function formatLog(log: PlacedLog, block: StoredBlock): RpcLog {
  return {
    address: hex(log.address),
    topics: log.topics.map(hex),
    data: hex(log.data),
    blockNumber: quantity(log.blockNumber),
    blockHash: hex(block.hash),
    blockTimestamp: quantity(block.header.timestamp),
    transactionHash: hex(log.transactionHash),
    transactionIndex: quantity(log.transactionIndex),
    logIndex: quantity(log.logIndex),
    removed: false,
  };
}
