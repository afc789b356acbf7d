import { RLP } from '@ethereumjs/rlp';
import { blockRange, decodeNumber, encodeNumber, placeKey } from '../db/keys.js';
import type { ChainDatabase } from '../db/tables.js';
import { decodeCallFrame, type CallFrame } from '../evm/call-tree.js';
import { keccak256 } from '../keccak256.js';
import { decodeLog, logsBloom, type PlacedLog } from '../logs/log.js';
import { StateAtBlock } from '../state/state-reader.js';
import { decodeHeader, type Header } from './header.js';
import { decodeReceiptRecord, type Receipt, type ReceiptRecord } from './receipt.js';

/** A block's header and hash. */
export interface StoredBlock {
  readonly header: Header;
  readonly hash: Uint8Array;
  /** RLP of the header. */
  readonly encodedHeader: Uint8Array;
}

/** A transaction in a block. */
export interface StoredTransaction {
  readonly blockNumber: number;
  readonly index: number;
  readonly hash: Uint8Array;
  readonly raw: Uint8Array;
  readonly sender: Uint8Array;
}

/** A receipt in a block. */
export interface StoredReceipt extends ReceiptRecord, Receipt {
  readonly logs: readonly PlacedLog[];
}

/** Reads blocks and their contents. Each thread can have its own reader. It sees only complete blocks. */
export class ChainReader {
  constructor(readonly database: ChainDatabase) {}

  /** Number of the newest block; null before the genesis. */
  headNumber(): number | null {
    const bytes = this.database.meta.getBinary(Buffer.from('head'));
    return bytes === undefined ? null : decodeNumber(bytes);
  }

  block(blockNumber: number): StoredBlock | null {
    const encodedHeader = this.database.headers.getBinary(encodeNumber(blockNumber));
    if (encodedHeader === undefined) return null;
    return { header: decodeHeader(encodedHeader), hash: keccak256(encodedHeader), encodedHeader };
  }

  findNumber(blockHash: Uint8Array): number | null {
    const bytes = this.database.numbers.getBinary(Buffer.from(blockHash));
    return bytes === undefined ? null : decodeNumber(bytes);
  }

  /** The state right after a block. */
  state(blockNumber: number): StateAtBlock {
    return new StateAtBlock(this.database, blockNumber);
  }

  transactions(blockNumber: number): StoredTransaction[] {
    return [...this.database.transactions.getRange(blockRange(blockNumber))].map(({ key, value }) =>
      decodeTransactionRecord(value, blockNumber, decodeNumber(key, 8)),
    );
  }

  transactionAt(blockNumber: number, index: number): StoredTransaction | null {
    const bytes = this.database.transactions.getBinary(placeKey(blockNumber, index));
    return bytes === undefined ? null : decodeTransactionRecord(bytes, blockNumber, index);
  }

  /** Block number and index of a mined transaction. */
  place(transactionHash: Uint8Array): { readonly blockNumber: number; readonly index: number } | null {
    const bytes = this.database.places.getBinary(Buffer.from(transactionHash));
    return bytes === undefined ? null : { blockNumber: decodeNumber(bytes), index: decodeNumber(bytes, 8) };
  }

  /** Reads a receipt without its logs, of which there may be tens of thousands. */
  receiptRecord(blockNumber: number, index: number): ReceiptRecord | null {
    const bytes = this.database.receipts.getBinary(placeKey(blockNumber, index));
    return bytes === undefined ? null : decodeReceiptRecord(bytes);
  }

  /** Reads the receipts of a block without their logs. */
  receiptRecords(blockNumber: number): ReceiptRecord[] {
    return [...this.database.receipts.getRange(blockRange(blockNumber))].map(({ value }) => decodeReceiptRecord(value));
  }

  receipt(blockNumber: number, index: number): StoredReceipt | null {
    const record = this.receiptRecord(blockNumber, index);
    return record === null ? null : this.withLogs(record, blockNumber);
  }

  receipts(blockNumber: number): StoredReceipt[] {
    return this.receiptRecords(blockNumber).map((record) => this.withLogs(record, blockNumber));
  }

  /** Reads the call tree of a transaction, trimmed by `trimCallTree`. */
  calls(blockNumber: number, index: number): CallFrame | null {
    const bytes = this.database.traces.getBinary(placeKey(blockNumber, index));
    return bytes === undefined ? null : decodeCallFrame(bytes.toString('utf8'));
  }

  log(blockNumber: number, logIndex: number): PlacedLog | null {
    const bytes = this.database.logs.getBinary(placeKey(blockNumber, logIndex));
    return bytes === undefined ? null : decodeLog(bytes, blockNumber, logIndex);
  }

  /** Reads `count` consecutive logs of a block. */
  logsFrom(blockNumber: number, firstLogIndex: number, count: number): PlacedLog[] {
    const start = placeKey(blockNumber, firstLogIndex);
    const end = placeKey(blockNumber, firstLogIndex + count);
    return [...this.database.logs.getRange({ start, end })].map(({ key, value }) =>
      decodeLog(value, blockNumber, decodeNumber(key, 8)),
    );
  }

  /** Iterates over all logs of a range of blocks, in order. */
  *logs(fromBlock: number, toBlock: number): Generator<PlacedLog> {
    for (const { key, value } of this.database.logs.getRange(blockRange(fromBlock, toBlock))) {
      yield decodeLog(value, decodeNumber(key), decodeNumber(key, 8));
    }
  }

  private withLogs(record: ReceiptRecord, blockNumber: number): StoredReceipt {
    const logs = this.logsFrom(blockNumber, record.firstLogIndex, record.logCount);
    return { ...record, logs, logsBloom: logsBloom(logs) };
  }
}

function decodeTransactionRecord(bytes: Uint8Array, blockNumber: number, index: number): StoredTransaction {
  const [raw, sender, hash] = RLP.decode(bytes) as [Uint8Array, Uint8Array, Uint8Array];
  return { blockNumber, index, hash, raw, sender };
}
