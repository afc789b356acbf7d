import { z } from 'zod';
import { accessList, authorizationList } from './call-request.js';
import { address, data, hash, hexText, quantity, quantity64 } from './primitives.js';

const bloom = hexText('0x[0-9a-fA-F]{512}', 'must be 256 bytes').meta({
  id: 'Bloom',
  title: 'bloom filter',
  description: 'The 2048-bit bloom filter of addresses and topics of logs.',
});

/** Header fields. Fields of later forks are present if the chain has them. */
const headerFields = {
  hash,
  parentHash: hash,
  sha3Uncles: hash,
  miner: address,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: bloom,
  difficulty: quantity,
  number: quantity64,
  gasLimit: quantity64,
  gasUsed: quantity64,
  timestamp: quantity64.describe('Seconds since 1970.'),
  extraData: data,
  mixHash: hash,
  nonce: hexText('0x[0-9a-fA-F]{16}', 'must be 8 bytes'),
  baseFeePerGas: quantity.optional().describe('Wei (EIP-1559).'),
  withdrawalsRoot: hash.optional(),
  blobGasUsed: quantity64.optional(),
  excessBlobGas: quantity64.optional(),
  parentBeaconBlockRoot: hash.optional(),
  requestsHash: hash.optional(),
};

/** Fields that the pending block lacks while it is being built. */
const unknownWhilePending = {
  hash: headerFields.hash.nullable().describe('Null for the pending block.'),
  miner: headerFields.miner.nullable().describe('Can be null for the pending block.'),
  logsBloom: headerFields.logsBloom.nullable().describe('Can be null for the pending block.'),
  number: headerFields.number.nullable().describe('Can be null for the pending block.'),
  nonce: headerFields.nonce.nullable().describe('Can be null for the pending block.'),
};

const transactionFields = {
  hash,
  blockHash: hash.nullable().describe('Null while the transaction is pending.'),
  blockNumber: quantity64.nullable().describe('Null while the transaction is pending.'),
  transactionIndex: quantity64.nullable().describe('Null while the transaction is pending.'),
  from: address,
  to: address.nullable().describe('Null for a contract creation.'),
  nonce: quantity64,
  gas: quantity64.describe('Maximum units of gas.'),
  gasPrice: quantity.describe('Wei paid per unit of gas, or offered while pending.'),
  value: quantity.describe('Wei.'),
  input: data,
  v: quantity,
  r: quantity,
  s: quantity,
};
const typedFields = { ...transactionFields, chainId: quantity, yParity: quantity, accessList };
const dynamicFeeFields = { ...typedFields, maxFeePerGas: quantity, maxPriorityFeePerGas: quantity };

/** A transaction of any of Ethereum's types. Type 3 (blobs, EIP-4844) occurs on other chains only. */
export const transaction = z
  .discriminatedUnion('type', [
    z
      .looseObject({ type: z.literal('0x0'), ...transactionFields, chainId: quantity.optional() })
      .meta({ title: 'legacy' }),
    z.looseObject({ type: z.literal('0x1'), ...typedFields }).meta({ title: 'with access list (EIP-2930)' }),
    z.looseObject({ type: z.literal('0x2'), ...dynamicFeeFields }).meta({ title: 'with dynamic fee (EIP-1559)' }),
    z
      .looseObject({
        type: z.literal('0x3'),
        ...dynamicFeeFields,
        maxFeePerBlobGas: quantity,
        blobVersionedHashes: z.array(hash),
      })
      .meta({ title: 'with blobs (EIP-4844)' }),
    z
      .looseObject({ type: z.literal('0x4'), ...dynamicFeeFields, authorizationList })
      .meta({ title: 'with authorizations (EIP-7702)' }),
  ])
  .meta({
    id: 'Transaction',
    title: 'transaction',
    description: 'A signed transaction and its position in the chain.',
  });

export const block = z
  .looseObject({
    ...headerFields,
    ...unknownWhilePending,
    size: quantity64.describe('Bytes.'),
    uncles: z.array(hash),
    transactions: z.union([z.array(hash), z.array(transaction)]).describe('Hashes, or transactions if requested.'),
    withdrawals: z
      .array(z.looseObject({ index: quantity64, validatorIndex: quantity64, address, amount: quantity }))
      .optional(),
  })
  .meta({ id: 'Block', title: 'block', description: 'A block and its transactions.' });

export const log = z
  .looseObject({
    address,
    topics: z.array(hash).max(4),
    data,
    blockNumber: quantity64,
    blockHash: hash,
    transactionHash: hash,
    transactionIndex: quantity64,
    logIndex: quantity64.describe('Index in the block.'),
    removed: z.boolean().describe('True if a reorganisation removed the log from the chain.'),
  })
  .meta({ id: 'Log', title: 'log', description: 'A log that a contract emitted, and its position in the chain.' });

export const receipt = z
  .looseObject({
    type: quantity64,
    transactionHash: hash,
    transactionIndex: quantity64,
    blockHash: hash,
    blockNumber: quantity64,
    from: address,
    to: address.nullable().describe('Null for a contract creation.'),
    contractAddress: address.nullable().describe('The created contract, or null.'),
    status: z.enum(['0x0', '0x1']).describe('0x1 for success, 0x0 for failure.'),
    gasUsed: quantity64,
    cumulativeGasUsed: quantity64.describe('Gas used in the block up to and including this transaction.'),
    effectiveGasPrice: quantity.describe('Wei paid per unit of gas.'),
    logs: z.array(log),
    logsBloom: headerFields.logsBloom,
  })
  .meta({ id: 'Receipt', title: 'receipt', description: 'The outcome of a transaction in a block.' });

export const callFrame = z
  .looseObject({
    type: z.string().describe('CALL, CALLCODE, CREATE, CREATE2, DELEGATECALL, STATICCALL or SELFDESTRUCT.'),
    from: address,
    to: address.nullish().describe('The called or created contract; missing if a creation failed.'),
    value: quantity.nullish().describe('Wei; missing where no value can be sent.'),
    gas: quantity,
    gasUsed: quantity,
    input: data,
    output: data.nullish(),
    error: z.string().nullish(),
    revertReason: z.string().nullish(),
    get calls() {
      return z.array(callFrame).optional();
    },
  })
  .meta({
    id: 'CallFrame',
    title: 'call frame',
    description: 'One message of a transaction and the messages it caused.',
  });

export const feeHistory = z
  .looseObject({
    oldestBlock: quantity64,
    baseFeePerGas: z.array(quantity).describe('Wei, one per block plus one for the next block.'),
    gasUsedRatio: z.array(z.number()).describe('0 to 1 per block.'),
    baseFeePerBlobGas: z.array(quantity).nullish().describe('Wei per unit of blob gas (EIP-4844), like baseFeePerGas.'),
    blobGasUsedRatio: z.array(z.number()).nullish().describe('0 to 1 per block.'),
    reward: z
      .array(z.array(quantity))
      .nullish()
      .describe('For each block, the priority fees in wei at the requested percentiles.'),
  })
  .meta({ id: 'FeeHistory', title: 'fee history', description: 'Fees of a range of blocks, oldest first.' });

export const syncStatus = z
  .union([
    z.literal(false),
    z.looseObject({ startingBlock: quantity64, currentBlock: quantity64, highestBlock: quantity64 }),
  ])
  .meta({
    id: 'SyncStatus',
    title: 'sync status',
    description: 'False, or the block range in which a node is syncing.',
  });
