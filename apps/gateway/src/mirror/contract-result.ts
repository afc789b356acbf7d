import { setImmediate } from 'node:timers/promises';
import {
  addToBloom,
  WEI_PER_UNIT,
  type CallFrame,
  type ChainReader,
  type ReceiptRecord,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import { bytesToHex, type Hex } from 'viem';
import { formatMined } from '../backends/embedded/format-transactions.js';
import type { CallTrees } from '../backends/embedded/trace-handlers.js';
import { findMined } from '../backends/embedded/transaction-handlers.js';

export interface MinedTransaction {
  readonly block: StoredBlock;
  readonly transaction: StoredTransaction;
  readonly receipt: ReceiptRecord;
  readonly calls: CallFrame;
}

const LOGS_PER_TURN = 256;

/** Finds a transaction by its hash; null if it is not in a block. */
export function findMinedTransaction(reader: ChainReader, callTrees: CallTrees, hash: Hex): MinedTransaction | null {
  const mined = findMined(reader, hash);
  if (mined === null) return null;
  const { blockNumber, index } = mined.transaction;
  const receipt = reader.receiptRecord(blockNumber, index);
  const calls = callTrees.get(blockNumber, index);
  // A block is stored as a whole, so a missing part is a bug of the chain.
  if (receipt === null || calls === null) throw new Error(`Transaction ${hash} is incomplete in block ${blockNumber}`);
  return { ...mined, receipt, calls };
}

/** Returns a mirror node timestamp. The nanoseconds are the transaction's index in its block, which makes it unique. */
export function mirrorTimestamp({ block, transaction }: MinedTransaction): string {
  return `${block.header.timestamp}.${transaction.index.toString().padStart(9, '0')}`;
}

/** Formats the outcome like a mirror node's `contracts/results`. Amounts have 8 decimals; gas prices are wei in hex. */
export async function toContractResult(
  mined: MinedTransaction,
  reader: ChainReader,
): Promise<Readonly<Record<string, unknown>>> {
  const { logs, bloom } = await readLogs(mined, reader);
  const { block, transaction, receipt, calls } = mined;
  const fields = formatMined(transaction, block);
  const contract = receipt.contractAddress === null ? null : bytesToHex(receipt.contractAddress);
  const output = calls.outputOmitted === true ? null : calls.output;
  const readQuantity = (name: string): bigint => BigInt(fields[name] as Hex);
  return {
    address: contract ?? fields['to'],
    amount: readQuantity('value') / WEI_PER_UNIT,
    block_gas_used: block.header.gasUsed,
    block_hash: bytesToHex(block.hash),
    block_number: block.header.number,
    bloom,
    call_result: output,
    chain_id: fields['chainId'],
    contract_id: contract ?? fields['to'],
    created_contract_ids: contract === null || receipt.status === 0 ? [] : [contract],
    error_message: calls.error === 'revert' ? (output ?? calls.error) : calls.error,
    from: bytesToHex(transaction.sender),
    function_parameters: fields['input'],
    gas_consumed: receipt.gasUsed,
    gas_limit: readQuantity('gas'),
    gas_price: fields['gasPrice'],
    gas_used: receipt.gasUsed,
    hash: fields['hash'],
    logs,
    max_fee_per_gas: fields['maxFeePerGas'] ?? null,
    max_priority_fee_per_gas: fields['maxPriorityFeePerGas'] ?? null,
    nonce: readQuantity('nonce'),
    r: fields['r'],
    result: getResult(mined),
    s: fields['s'],
    status: receipt.status === 1 ? '0x1' : '0x0',
    timestamp: mirrorTimestamp(mined),
    to: fields['to'],
    transaction_index: transaction.index,
    type: receipt.type,
    v: readQuantity('v'),
  };
}

async function readLogs({ block, receipt }: MinedTransaction, reader: ChainReader) {
  const bloom = new Uint8Array(256);
  const logs: Readonly<Record<string, unknown>>[] = [];
  while (logs.length < receipt.logCount) {
    const size = Math.min(LOGS_PER_TURN, receipt.logCount - logs.length);
    const slice = reader.logsFrom(block.header.number, receipt.firstLogIndex + logs.length, size);
    addToBloom(bloom, slice);
    for (const log of slice) {
      const address = bytesToHex(log.address);
      const topics = log.topics.map((topic) => bytesToHex(topic));
      logs.push({ address, contract_id: address, data: bytesToHex(log.data), index: logs.length, topics });
    }
    await setImmediate();
  }
  return { logs, bloom: bytesToHex(bloom) };
}

function getResult({ receipt, calls }: MinedTransaction): string {
  if (receipt.status === 1) return 'SUCCESS';
  return calls.error === 'revert' ? 'CONTRACT_REVERT_EXECUTED' : 'CONTRACT_EXECUTION_EXCEPTION';
}
