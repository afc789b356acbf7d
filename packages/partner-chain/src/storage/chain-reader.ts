import { RLP } from '@ethereumjs/rlp';
import { keccak256 } from '../hash/keccak256.js';
import { decodeHeader } from '../block/encode-header.js';
import type { Header } from '../block/header.js';
import type { Receipt } from '../block/receipt.js';
import { decodeReceiptRecord, type ReceiptRecord } from '../block/receipt-record.js';
import type { CallFrame } from '../execution/call-frame.js';
import { decodeCallFrame } from '../execution/call-frame-json.js';
import type { PlacedLog } from '../logs/log.js';
import { decodeLog } from '../logs/log-record.js';
import { logsBloom } from '../logs/logs-bloom.js';
import { StateAtBlock } from '../state/state-reader.js';
import type { ChainDatabase } from './chain-database.js';
import { decodeNumber } from './decode-number.js';
import { encodeNumber } from './encode-number.js';

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

/** Reads blocks and what is in them. Any thread may have one of its own; it sees a block once it is whole. */
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

  numberOf(blockHash: Uint8Array): number | null {
    const bytes = this.database.numbers.getBinary(Buffer.from(blockHash));
    return bytes === undefined ? null : decodeNumber(bytes);
  }

  /** The state right after a block. */
  state(blockNumber: number): StateAtBlock {
    return new StateAtBlock(this.database, blockNumber);
  }

  transactions(blockNumber: number): StoredTransaction[] {
    return [...this.database.transactions.getRange(rangeOf(blockNumber))].map(({ key, value }) =>
      decodeTransactionRecord(value, blockNumber, decodeNumber(key, 8)),
    );
  }

  transactionAt(blockNumber: number, index: number): StoredTransaction | null {
    const bytes = this.database.transactions.getBinary(placeOf(blockNumber, index));
    return bytes === undefined ? null : decodeTransactionRecord(bytes, blockNumber, index);
  }

  /** Block number and index of a mined transaction. */
  place(transactionHash: Uint8Array): { readonly blockNumber: number; readonly index: number } | null {
    const bytes = this.database.places.getBinary(Buffer.from(transactionHash));
    return bytes === undefined ? null : { blockNumber: decodeNumber(bytes), index: decodeNumber(bytes, 8) };
  }

  /** A receipt without its logs, which may be tens of thousands. */
  receiptRecord(blockNumber: number, index: number): ReceiptRecord | null {
    const bytes = this.database.receipts.getBinary(placeOf(blockNumber, index));
    return bytes === undefined ? null : decodeReceiptRecord(bytes);
  }

  /** The receipts of a block without their logs. */
  receiptRecords(blockNumber: number): ReceiptRecord[] {
    return [...this.database.receipts.getRange(rangeOf(blockNumber))].map(({ value }) => decodeReceiptRecord(value));
  }

  receipt(blockNumber: number, index: number): StoredReceipt | null {
    const record = this.receiptRecord(blockNumber, index);
    return record === null ? null : this.#withLogs(record, blockNumber);
  }

  receipts(blockNumber: number): StoredReceipt[] {
    return this.receiptRecords(blockNumber).map((record) => this.#withLogs(record, blockNumber));
  }

  /** Gas the transaction before this one had come to, for those who ask for the call tree of a whole block. */
  calls(blockNumber: number, index: number): CallFrame | null {
    const bytes = this.database.traces.getBinary(placeOf(blockNumber, index));
    return bytes === undefined ? null : decodeCallFrame(bytes.toString('utf8'));
  }

  log(blockNumber: number, logIndex: number): PlacedLog | null {
    const bytes = this.database.logs.getBinary(placeOf(blockNumber, logIndex));
    return bytes === undefined ? null : decodeLog(bytes, blockNumber, logIndex);
  }

  /** So many logs of a block in a row. */
  logsFrom(blockNumber: number, firstLogIndex: number, count: number): PlacedLog[] {
    const start = placeOf(blockNumber, firstLogIndex);
    const end = placeOf(blockNumber, firstLogIndex + count);
    return [...this.database.logs.getRange({ start, end })].map(({ key, value }) =>
      decodeLog(value, blockNumber, decodeNumber(key, 8)),
    );
  }

  /** Every log of a range of blocks, in order. */
  *logs(fromBlock: number, toBlock: number): Generator<PlacedLog> {
    const range = { start: encodeNumber(fromBlock), end: encodeNumber(toBlock + 1) };
    for (const { key, value } of this.database.logs.getRange(range)) {
      yield decodeLog(value, decodeNumber(key), decodeNumber(key, 8));
    }
  }

  #withLogs(record: ReceiptRecord, blockNumber: number): StoredReceipt {
    const logs = this.logsFrom(blockNumber, record.firstLogIndex, record.logCount);
    return { ...record, logs, logsBloom: logsBloom(logs) };
  }
}

function decodeTransactionRecord(bytes: Uint8Array, blockNumber: number, index: number): StoredTransaction {
  // Chains begun by an earlier version have blocks without the hashes.
  const [raw, sender, hash = keccak256(raw)] = RLP.decode(bytes) as [Uint8Array, Uint8Array, Uint8Array?];
  return { blockNumber, index, hash, raw, sender };
}

function placeOf(blockNumber: number, index: number): Buffer {
  return Buffer.concat([encodeNumber(blockNumber), encodeNumber(index)]);
}

function rangeOf(blockNumber: number): { start: Buffer; end: Buffer } {
  return { start: encodeNumber(blockNumber), end: encodeNumber(blockNumber + 1) };
}
