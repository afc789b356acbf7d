import { isAddress, isHex, type Address, type Hex } from 'viem';
import { z } from 'zod';
import { InconsistentBlockError } from '../rpc/chain-error.js';

// The answers of nodes, validated field by field before use. Hex is converted to lower case.

/** Converts hex to lower case, in which hashes and addresses are stored and compared. */
export const lower = <T extends Hex>(hex: T) => hex.toLowerCase() as T;
export const bytes = z.custom<Hex>((value) => isHex(value), 'must be hex').transform(lower);
const quantity = z
  .custom<Hex>((value) => isHex(value) && value.length > 2 && value.length <= 66, 'must be a number in hex')
  .transform(lower);
const hash = z.custom<Hex>((value) => isHex(value) && value.length === 66, 'must be 32 bytes of hex').transform(lower);
export const account = z
  .custom<Address>((value) => typeof value === 'string' && isAddress(value, { strict: false }), 'must be an address')
  .transform(lower);

const accessList = z.array(z.object({ address: account, storageKeys: z.array(hash) }));

/** A code delegation of EIP-7702. */
const rpcAuthorization = z.object({
  chainId: quantity,
  address: account,
  nonce: quantity,
  yParity: quantity,
  r: quantity,
  s: quantity,
});

/** A transaction in a block, without the fields that its type lacks. Older nodes send `v` instead of `yParity`. */
export const rpcTransaction = z.object({
  hash,
  type: quantity.nullish(),
  from: account,
  to: account.nullish(),
  value: quantity,
  nonce: quantity,
  gas: quantity,
  input: bytes,
  gasPrice: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  maxFeePerBlobGas: quantity.nullish(),
  chainId: quantity.nullish(),
  accessList: accessList.nullish(),
  blobVersionedHashes: z.array(hash).nullish(),
  authorizationList: z.array(rpcAuthorization).nullish(),
  v: quantity.nullish(),
  yParity: quantity.nullish(),
  r: quantity,
  s: quantity,
});
export type RpcTransaction = z.output<typeof rpcTransaction>;

/** A header. Fields of later forks are optional. */
export const rpcHeader = z.object({
  hash,
  parentHash: hash,
  sha3Uncles: hash,
  miner: account,
  stateRoot: hash,
  transactionsRoot: hash,
  receiptsRoot: hash,
  logsBloom: bytes,
  difficulty: quantity,
  number: quantity,
  gasLimit: quantity,
  gasUsed: quantity,
  timestamp: quantity,
  extraData: bytes,
  mixHash: hash,
  nonce: bytes,
  baseFeePerGas: quantity.nullish(),
  withdrawalsRoot: hash.nullish(),
  blobGasUsed: quantity.nullish(),
  excessBlobGas: quantity.nullish(),
  parentBeaconBlockRoot: hash.nullish(),
  requestsHash: hash.nullish(),
});
export type RpcHeader = z.output<typeof rpcHeader>;

/** A block with its transactions. */
export const rpcBlock = rpcHeader.extend({ transactions: z.array(rpcTransaction) });
export type RpcBlock = z.output<typeof rpcBlock>;

/** A block with the hashes of its transactions. */
export const rpcBlockOfHashes = rpcHeader.extend({ transactions: z.array(hash) });
export type RpcBlockOfHashes = z.output<typeof rpcBlockOfHashes>;

/** A log inside a receipt. */
const rpcLog = z.object({
  address: account,
  topics: z.array(hash).max(4),
  data: bytes,
  logIndex: quantity,
  blockHash: hash,
  transactionHash: hash,
});

/** A log of eth_getLogs. Older nodes omit the time. */
export const rpcRangeLog = rpcLog.extend({ blockNumber: quantity, blockTimestamp: quantity.nullish() });

/** A receipt. Nodes without typed transactions (EIP-2718) omit `type`. */
export const rpcReceipt = z.object({
  type: quantity.nullish(),
  status: quantity,
  cumulativeGasUsed: quantity,
  logsBloom: bytes,
  logs: z.array(rpcLog),
  blockHash: hash,
  transactionHash: hash,
  transactionIndex: quantity,
});
export type RpcReceipt = z.output<typeof rpcReceipt>;

/**
 * Parses the answer of a node about a block.
 *
 * @throws InconsistentBlockError naming the field that is missing or malformed.
 */
export function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown, number: bigint): z.output<S> {
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InconsistentBlockError(number, `${issue?.path.join('.')} ${issue?.message}`);
}
