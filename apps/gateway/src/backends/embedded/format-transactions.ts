import {
  addToBloom,
  type ChainReader,
  type PendingTransaction,
  type PlacedLog,
  type ReceiptRecord,
  type StoredBlock,
  type StoredTransaction,
} from '@causeway/partner-chain';
import { fromRlp, type Hex } from 'viem';

/** Bytes as 0x-hex. viem's `bytesToHex` converts them one by one, which is slow for large transactions and logs. */
export function hex(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/** A quantity as the Ethereum JSON-RPC writes it: 0x-hex without leading zeros. */
export function quantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`;
}

/** An object in the JSON shape of the Ethereum JSON-RPC. */
export type RpcObject = Readonly<Record<string, unknown>>;

/** A mined transaction, values in wei. */
export function formatMined({ hash, raw, sender, index }: StoredTransaction, block: StoredBlock): RpcObject {
  return formatTransaction({ hash: hex(hash), raw, sender: hex(sender) }, { block, index });
}

/** @param place null for a pending transaction. */
export function formatTransaction(
  { hash, raw, sender }: PendingTransaction,
  place: { readonly block: StoredBlock; readonly index: number } | null,
): RpcObject {
  const { type, fields } = decodeTransaction(raw);
  const isTyped = type !== '0x0';
  const v = toNumber(fields['v']);
  return {
    hash,
    type,
    // v = 35 + 2 × chain id + parity (EIP-155); the chain accepts no others.
    chainId: quantity(isTyped ? toNumber(fields['chainId']) : (v - 35n) / 2n),
    nonce: quantity(toNumber(fields['nonce'])),
    from: sender,
    to: fields['to'] === '0x' ? null : fields['to'],
    value: quantity(toNumber(fields['value'])),
    gas: quantity(toNumber(fields['gas'])),
    ...getPrices(fields, place?.block ?? null),
    input: fields['input'],
    ...(isTyped ? { accessList: toList(fields['accessList']).map(formatAccess) } : {}),
    ...(type === '0x4' ? { authorizationList: toList(fields['authorizationList']).map(formatAuthorization) } : {}),
    v: quantity(v),
    ...(isTyped ? { yParity: quantity(v) } : {}),
    r: quantity(toNumber(fields['r'])),
    s: quantity(toNumber(fields['s'])),
    blockHash: place === null ? null : hex(place.block.hash),
    blockNumber: place === null ? null : quantity(place.block.header.number),
    blockTimestamp: place === null ? null : quantity(place.block.header.timestamp),
    transactionIndex: place === null ? null : quantity(place.index),
  };
}

/** `gasPrice` of a mined transaction is the price it paid, of a pending one the most it would pay, as in geth. */
function getPrices(fields: TransactionFields, block: StoredBlock | null): RpcObject {
  if ('gasPrice' in fields) return { gasPrice: quantity(toNumber(fields['gasPrice'])) };
  const maxFeePerGas = toNumber(fields['maxFeePerGas']);
  const maxPriorityFeePerGas = toNumber(fields['maxPriorityFeePerGas']);
  const paid = block === null ? maxFeePerGas : block.header.baseFeePerGas + maxPriorityFeePerGas;
  return {
    gasPrice: quantity(paid < maxFeePerGas ? paid : maxFeePerGas),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
  };
}

function formatAccess(entry: RlpItem): RpcObject {
  const [address, storageKeys] = toList(entry);
  return { address, storageKeys };
}

function formatAuthorization(entry: RlpItem): RpcObject {
  const [chainId, address, nonce, yParity, r, s] = toList(entry);
  return {
    chainId: quantity(toNumber(chainId)),
    address,
    nonce: quantity(toNumber(nonce)),
    yParity: quantity(toNumber(yParity)),
    r: quantity(toNumber(r)),
    s: quantity(toNumber(s)),
  };
}

/** A receipt (eth_getTransactionReceipt). @param reader for its logs. */
export function formatReceipt(
  block: StoredBlock,
  transaction: StoredTransaction,
  receipt: ReceiptRecord,
  reader: ChainReader,
): RpcObject {
  const logs = reader.logsFrom(block.header.number, receipt.firstLogIndex, receipt.logCount);
  const bloom = new Uint8Array(256);
  addToBloom(bloom, logs);
  const { to } = decodeTransaction(transaction.raw).fields;
  return {
    transactionHash: hex(transaction.hash),
    transactionIndex: quantity(transaction.index),
    blockHash: hex(block.hash),
    blockNumber: quantity(block.header.number),
    from: hex(transaction.sender),
    to: to === '0x' ? null : to,
    cumulativeGasUsed: quantity(receipt.cumulativeGasUsed),
    gasUsed: quantity(receipt.gasUsed),
    effectiveGasPrice: quantity(receipt.effectiveGasPrice),
    contractAddress: receipt.contractAddress === null ? null : hex(receipt.contractAddress),
    logs: logs.map((log) => formatLog(log, block)),
    logsBloom: hex(bloom),
    status: quantity(receipt.status),
    type: quantity(receipt.type),
  };
}

/** @param block the block of the log. */
export function formatLog(log: PlacedLog, block: StoredBlock): RpcObject {
  return {
    address: hex(log.address),
    topics: log.topics.map(hex),
    data: hex(log.data),
    blockNumber: quantity(log.blockNumber),
    blockHash: hex(block.hash),
    blockTimestamp: quantity(block.header.timestamp),
    transactionHash: hex(log.transactionHash),
    transactionIndex: quantity(log.transactionIndex),
    logIndex: quantity(log.logIndex),
    removed: false,
  };
}

const SIGNATURE = ['v', 'r', 's'];
const BODY = ['gas', 'to', 'value', 'input'];
const FEES = ['maxPriorityFeePerGas', 'maxFeePerGas'];

/** The fields of a signed transaction in the order of its RLP, by type: EIP-155, EIP-2930, EIP-1559, EIP-7702. */
const LAYOUTS: Readonly<Record<string, readonly string[]>> = {
  '0x0': ['nonce', 'gasPrice', ...BODY, ...SIGNATURE],
  '0x1': ['chainId', 'nonce', 'gasPrice', ...BODY, 'accessList', ...SIGNATURE],
  '0x2': ['chainId', 'nonce', ...FEES, ...BODY, 'accessList', ...SIGNATURE],
  '0x4': ['chainId', 'nonce', ...FEES, ...BODY, 'accessList', 'authorizationList', ...SIGNATURE],
};

type RlpBytes = Uint8Array | readonly RlpBytes[];
/** An item of RLP in hex, or a list of items. An empty quantity is `0x`. */
type RlpItem = Hex | readonly RlpItem[];
type TransactionFields = Readonly<Record<string, RlpItem | undefined>>;

/** @throws Error for bytes that are not a transaction of this chain. */
function decodeTransaction(raw: Uint8Array): { readonly type: string; readonly fields: TransactionFields } {
  // A legacy transaction starts with the prefix of a list (0xc0 and above), a typed one with its type (EIP-2718).
  const isLegacy = (raw[0] ?? 0) >= 0xc0;
  const type = isLegacy ? '0x0' : quantity(raw[0] ?? 0);
  const layout = LAYOUTS[type];
  if (layout === undefined) throw new Error(`Transactions of type ${type} do not exist on this chain`);
  // As bytes: viem converts them to hex one by one, which is slow.
  const items = fromRlp(isLegacy ? raw : raw.subarray(1), 'bytes') as readonly RlpBytes[];
  return { type, fields: Object.fromEntries(items.map((item, index) => [layout[index], toText(item)])) };
}

function toText(item: RlpBytes): RlpItem {
  return item instanceof Uint8Array ? hex(item) : item.map(toText);
}

function toNumber(item: RlpItem | undefined): bigint {
  return typeof item === 'string' && item !== '0x' ? BigInt(item) : 0n;
}

function toList(item: RlpItem | undefined): readonly RlpItem[] {
  return Array.isArray(item) ? (item as readonly RlpItem[]) : [];
}
