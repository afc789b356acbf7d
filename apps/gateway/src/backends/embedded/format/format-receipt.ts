import {
  addToBloom,
  type ChainReader,
  type ReceiptRecord,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import type { Hex } from 'viem';
import type { Pauses } from '../../turns/pauses.js';
import { logSlices } from '../log-slices.js';
import { formatLog, type RpcLog } from './format-log.js';
import { hex } from './hex.js';
import { quantity } from './quantity.js';
import { transactionFields } from './transaction-fields.js';

/** What a receipt is made of. */
export interface ReceiptParts {
  readonly block: StoredBlock;
  readonly transaction: StoredTransaction;
  readonly receipt: ReceiptRecord;
}

/**
 * A receipt in the JSON shape of the Ethereum JSON-RPC (eth_getTransactionReceipt).
 *
 * @param reader where its logs are.
 * @param pauses to be made on the way: a receipt may have tens of thousands of logs.
 */
export async function formatReceipt(
  { block, transaction, receipt }: ReceiptParts,
  reader: ChainReader,
  pauses: Pauses,
): Promise<Readonly<Record<string, unknown>>> {
  const logs: RpcLog[] = [];
  const bloom = new Uint8Array(256);
  for await (const slice of logSlices(reader, block.header.number, receipt, pauses)) {
    addToBloom(bloom, slice);
    for (const log of slice) logs.push(formatLog(log, block));
  }
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
    logs,
    logsBloom: hex(bloom),
    status: quantity(receipt.status),
    type: quantity(receipt.type),
  };
}

function recipientOf({ raw }: StoredTransaction): Hex | null {
  const to = transactionFields(raw).text('to');
  return to === '0x' ? null : to;
}
