import { isAddress, isHex, type Address, type Hex } from 'viem';
import { z } from 'zod';

// What a node must answer, checked field by field before anything is believed.

const hex = z.custom<Hex>((value) => isHex(value), 'must be hex');
const hash = z.custom<Hex>((value) => isHex(value) && value.length === 66, 'must be 32 bytes of hex');
const account = z.custom<Address>(
  (value) => typeof value === 'string' && isAddress(value, { strict: false }),
  'must be an address',
);

/** A transaction inside a block. */
export const rpcTransaction = z.object({
  hash,
  from: account,
  to: account.nullish(),
  value: hex,
  transactionIndex: hex,
});
export type RpcTransaction = z.output<typeof rpcTransaction>;

/** A block with its transactions. Fields that came with later forks are optional. */
export const rpcBlock = z.object({
  hash,
  parentHash: hash,
  sha3Uncles: hash,
  miner: account,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: hex,
  difficulty: hex,
  number: hex,
  gasLimit: hex,
  gasUsed: hex,
  timestamp: hex,
  extraData: hex,
  mixHash: hash,
  nonce: hex,
  baseFeePerGas: hex.nullish(),
  withdrawalsRoot: hash.nullish(),
  blobGasUsed: hex.nullish(),
  excessBlobGas: hex.nullish(),
  parentBeaconBlockRoot: hash.nullish(),
  requestsHash: hash.nullish(),
  transactions: z.array(rpcTransaction),
});
export type RpcBlock = z.output<typeof rpcBlock>;

/** A log inside a receipt. */
export const rpcLog = z.object({
  address: account,
  topics: z.array(hash).max(4),
  data: hex,
  logIndex: hex,
  blockHash: hash,
  transactionHash: hash,
});

/** A receipt. `type` is missing on nodes that know no typed transactions. */
export const rpcReceipt = z.object({
  type: hex.nullish(),
  status: hex,
  cumulativeGasUsed: hex,
  logsBloom: hex,
  logs: z.array(rpcLog),
  blockHash: hash,
  transactionHash: hash,
  transactionIndex: hex,
});
export type RpcReceipt = z.output<typeof rpcReceipt>;
