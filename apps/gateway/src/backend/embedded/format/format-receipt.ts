import type { StoredBlock, StoredReceipt, StoredTransaction } from '@causeway/partner-chain';
import { keccak256, type Hex } from 'viem';
import { formatLog } from './format-log.js';
import { hex } from './hex.js';
import { quantity } from './quantity.js';
import { transactionFields } from './transaction-fields.js';

/** A receipt in the JSON shape of the Ethereum JSON-RPC (eth_getTransactionReceipt). */
export function formatReceipt(
  receipt: StoredReceipt,
  transaction: StoredTransaction,
  block: StoredBlock,
): Readonly<Record<string, unknown>> {
  return {
    transactionHash: keccak256(transaction.raw),
    transactionIndex: quantity(transaction.index),
    blockHash: hex(block.hash),
    blockNumber: quantity(block.header.number),
    from: hex(transaction.sender),
    to: recipientOf(transaction),
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    gasUsed: quantity(receipt.gasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    contractAddress: receipt.contractAddress === null ? null : hex(receipt.contractAddress),
    logs: receipt.logs.map((log) => formatLog(log, block)),
    logsBloom: hex(receipt.logsBloom),
    status: quantity(receipt.status),
    type: quantity(receipt.type),
  };
}

function recipientOf({ raw }: StoredTransaction): Hex | null {
  const to = transactionFields(raw).text('to');
  return to === '0x' ? null : to;
}
