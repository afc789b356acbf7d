import {
  addToBloom,
  type ChainReader,
  type PlacedLog,
  type ReceiptRecord,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { transactionFields } from './format-transactions.js';
import { hex, quantity } from './hex.js';

/** The parts of a receipt. */
interface ReceiptParts {
  readonly block: StoredBlock;
  readonly transaction: StoredTransaction;
  readonly receipt: ReceiptRecord;
}

/** A receipt in the JSON shape of the Ethereum JSON-RPC (eth_getTransactionReceipt). @param reader for its logs. */
export function formatReceipt(
  { block, transaction, receipt }: ReceiptParts,
  reader: ChainReader,
): Readonly<Record<string, unknown>> {
  const logs = reader.logsFrom(block.header.number, receipt.firstLogIndex, receipt.logCount);
  const bloom = new Uint8Array(256);
  addToBloom(bloom, logs);
  return {
    transactionHash: hex(transaction.hash),
    transactionIndex: quantity(transaction.index),
    blockHash: hex(block.hash),
    blockNumber: quantity(block.header.number),
    from: hex(transaction.sender),
    to: recipientOf(transaction),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    gasUsed: quantity(receipt.gasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    contractAddress: receipt.contractAddress === null ? null : hex(receipt.contractAddress),
    logs: logs.map((log) => formatLog(log, block)),
    logsBloom: hex(bloom),
    status: quantity(receipt.status),
    type: quantity(receipt.type),
  };
}

function recipientOf({ raw }: StoredTransaction): Hex | null {
  const to = transactionFields(raw).text('to');
  return to === '0x' ? null : to;
}

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

/** @param block the block of the log. */
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
