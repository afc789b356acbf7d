import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, bytesToBigInt } from '@ethereumjs/util';
import type { Receipt } from './receipt.js';

/** A receipt without its logs, and where they stand in their block. */
export interface ReceiptRecord extends Omit<Receipt, 'logs' | 'logsBloom'> {
  readonly firstLogIndex: number;
  readonly logCount: number;
}

/** A receipt as the database keeps it: its logs are a table of their own, its bloom follows from them. */
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

/** The receipt of such bytes. */
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
