import { addToBloom, WEI_PER_UNIT, type ChainReader } from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { formatMined } from '../backends/embedded/format-transactions.js';
import { hex } from '../backends/embedded/hex.js';
import { mirrorTimestamp } from './mirror-timestamp.js';
import type { MinedTransaction } from './mined-transaction.js';

/**
 * What came of a transaction, in the shape of a mirror node's `contracts/results`. Amounts of coin are units of 8 decimals, prices of gas are
 * wei in hex: they go below one unit.
 */
export function toContractResult(mined: MinedTransaction, reader: ChainReader): Readonly<Record<string, unknown>> {
  const { logs, bloom } = readLogs(mined, reader);
  const { block, transaction, receipt, calls } = mined;
  const fields = formatMined(transaction, block);
  const contract = receipt.contractAddress === null ? null : hex(receipt.contractAddress);
  const output = calls.outputOmitted === true ? null : calls.output;
  const quantityOf = (name: string): bigint => BigInt(fields[name] as Hex);
  return {
    address: contract ?? fields['to'],
    amount: quantityOf('value') / WEI_PER_UNIT,
    block_gas_used: block.header.gasUsed,
    block_hash: hex(block.hash),
    block_number: block.header.number,
    bloom,
    call_result: output,
    chain_id: fields['chainId'],
    contract_id: contract ?? fields['to'],
    created_contract_ids: contract === null || receipt.status === 0 ? [] : [contract],
    error_message: calls.error === 'revert' ? (output ?? calls.error) : calls.error,
    from: hex(transaction.sender),
    function_parameters: fields['input'],
    gas_consumed: receipt.gasUsed,
    gas_limit: quantityOf('gas'),
    gas_price: fields['gasPrice'],
    gas_used: receipt.gasUsed,
    hash: fields['hash'],
    logs,
    max_fee_per_gas: fields['maxFeePerGas'] ?? null,
    max_priority_fee_per_gas: fields['maxPriorityFeePerGas'] ?? null,
    nonce: quantityOf('nonce'),
    r: fields['r'],
    result: resultOf(mined),
    s: fields['s'],
    status: receipt.status === 1 ? '0x1' : '0x0',
    timestamp: mirrorTimestamp(mined),
    to: fields['to'],
    transaction_index: transaction.index,
    type: receipt.type,
    v: quantityOf('v'),
  };
}

function readLogs({ block, receipt }: MinedTransaction, reader: ChainReader) {
  const stored = reader.logsFrom(block.header.number, receipt.firstLogIndex, receipt.logCount);
  const bloom = new Uint8Array(256);
  addToBloom(bloom, stored);
  const logs = stored.map((log, index) => {
    const address = hex(log.address);
    return { address, contract_id: address, data: hex(log.data), index, topics: log.topics.map(hex) };
  });
  return { logs, bloom: hex(bloom) };
}

function resultOf({ receipt, calls }: MinedTransaction): string {
  if (receipt.status === 1) return 'SUCCESS';
  return calls.error === 'revert' ? 'CONTRACT_REVERT_EXECUTED' : 'CONTRACT_EXECUTION_EXCEPTION';
}
