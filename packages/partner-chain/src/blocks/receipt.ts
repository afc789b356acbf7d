import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, bytesToBigInt, concatBytes } from '@ethereumjs/util';
import type { Log } from '../logs/log.js';

/** The result of a transaction. */
export interface Receipt {
  readonly type: number;
  /** 1 for success, 0 for failure. */
  readonly status: 0 | 1;
  readonly gasUsed: bigint;
  /** Gas used in the block up to and including this transaction. */
  readonly cumulativeGasUsed: bigint;
  /** In wei. */
  readonly effectiveGasPrice: bigint;
  /** The address of a creation's contract, even if it failed. */
  readonly contractAddress: Uint8Array | null;
  readonly logs: readonly Log[];
  readonly logsBloom: Uint8Array;
}

/** A receipt without its logs, but with their position in the block. */
export interface ReceiptRecord extends Omit<Receipt, 'logs' | 'logsBloom'> {
  readonly firstLogIndex: number;
  readonly logCount: number;
}

/** Encodes a receipt for the receipts trie: EIP-2718's type byte, then RLP of status, gas, bloom and logs (EIP-658). */
export function encodeReceipt(receipt: Receipt): Uint8Array {
  const payload = RLP.encode([
    receipt.status === 1 ? Uint8Array.of(1) : new Uint8Array(0),
    bigIntToUnpaddedBytes(receipt.cumulativeGasUsed),
    receipt.logsBloom,
    receipt.logs.map((log) => [log.address, [...log.topics], log.data]),
  ]);
  return receipt.type === 0 ? payload : concatBytes(Uint8Array.of(receipt.type), payload);
}

/** Encodes a receipt for the database. A separate table holds its logs, from which the bloom is computed. */
export function encodeReceiptRecord(receipt: Receipt, firstLogIndex: number): Uint8Array {
  const quantity = (value: bigint | number): Uint8Array => bigIntToUnpaddedBytes(BigInt(value));
  return RLP.encode([
    quantity(receipt.type),
    quantity(receipt.status),
    quantity(receipt.gasUsed),
    quantity(receipt.cumulativeGasUsed),
    quantity(receipt.effectiveGasPrice),
    receipt.contractAddress ?? new Uint8Array(0),
    quantity(firstLogIndex),
    quantity(receipt.logs.length),
  ]);
}

/** Decodes a row of `encodeReceiptRecord`. */
export function decodeReceiptRecord(bytes: Uint8Array): ReceiptRecord {
  const fields = RLP.decode(bytes) as Uint8Array[];
  const contract = fields[5] ?? new Uint8Array(0);
  return {
    type: numberAt(fields, 0),
    status: numberAt(fields, 1) === 1 ? 1 : 0,
    gasUsed: bytesToBigInt(fields[2] ?? new Uint8Array(0)),
    cumulativeGasUsed: bytesToBigInt(fields[3] ?? new Uint8Array(0)),
    effectiveGasPrice: bytesToBigInt(fields[4] ?? new Uint8Array(0)),
    contractAddress: contract.length === 0 ? null : contract,
    firstLogIndex: numberAt(fields, 6),
    logCount: numberAt(fields, 7),
  };
}

function numberAt(fields: readonly Uint8Array[], index: number): number {
  return Number(bytesToBigInt(fields[index] ?? new Uint8Array(0)));
}
