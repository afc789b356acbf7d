import type { PendingTransaction, StoredBlock, StoredTransaction } from '@causeway/partner-chain';
import { fromRlp, type Hex } from 'viem';
import { hex, quantity } from './hex.js';

/** The block and index of a mined transaction. */
interface TransactionPlace {
  readonly block: StoredBlock;
  readonly index: number;
}

/** A mined transaction in the JSON shape of the Ethereum JSON-RPC, values in wei. */
export function formatMined(
  { hash, raw, sender, index }: StoredTransaction,
  block: StoredBlock,
): Readonly<Record<string, unknown>> {
  return formatTransaction({ hash: hex(hash), raw, sender: hex(sender) }, { block, index });
}

/** Any transaction in that shape. @param place null for a pending one. */
export function formatTransaction(
  { hash, raw, sender }: PendingTransaction,
  place: TransactionPlace | null,
): Readonly<Record<string, unknown>> {
  const fields = transactionFields(raw);
  const isTyped = fields.type !== '0x0';
  const to = fields.text('to');
  return {
    hash,
    type: fields.type,
    chainId: quantity(isTyped ? numberOf(fields, 'chainId') : legacyChainId(fields)),
    nonce: quantity(numberOf(fields, 'nonce')),
    from: sender,
    to: to === '0x' ? null : to,
    value: quantity(numberOf(fields, 'value')),
    gas: quantity(numberOf(fields, 'gas')),
    ...pricesOf(fields, place),
    input: fields.text('input'),
    ...(isTyped ? { accessList: accessListOf(fields) } : {}),
    ...(fields.type === '0x4' ? { authorizationList: authorizationsOf(fields) } : {}),
    v: quantity(numberOf(fields, 'v')),
    ...(isTyped ? { yParity: quantity(numberOf(fields, 'v')) } : {}),
    r: quantity(numberOf(fields, 'r')),
    s: quantity(numberOf(fields, 's')),
    blockHash: place === null ? null : hex(place.block.hash),
    blockNumber: place === null ? null : quantity(place.block.header.number),
    blockTimestamp: place === null ? null : quantity(place.block.header.timestamp),
    transactionIndex: place === null ? null : quantity(place.index),
  };
}

/** `gasPrice` of a mined transaction is the price it paid, of a pending one the most it would pay, as in geth. */
function pricesOf(fields: TransactionFields, place: TransactionPlace | null): Readonly<Record<string, Hex>> {
  if (fields.type === '0x0' || fields.type === '0x1') return { gasPrice: quantity(numberOf(fields, 'gasPrice')) };
  const maxFeePerGas = numberOf(fields, 'maxFeePerGas');
  const maxPriorityFeePerGas = numberOf(fields, 'maxPriorityFeePerGas');
  const paid = place === null ? maxFeePerGas : place.block.header.baseFeePerGas + maxPriorityFeePerGas;
  return {
    gasPrice: quantity(paid < maxFeePerGas ? paid : maxFeePerGas),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
  };
}

/** v = 35 + 2 × chain id + parity (EIP-155); the chain accepts no others. */
function legacyChainId(fields: TransactionFields): bigint {
  return (numberOf(fields, 'v') - 35n) / 2n;
}

function accessListOf(fields: TransactionFields): readonly unknown[] {
  return fields.list('accessList').map(([address, storageKeys]) => ({ address, storageKeys }));
}

function authorizationsOf(fields: TransactionFields): readonly unknown[] {
  return fields.list('authorizationList').map(([chainId, address, nonce, yParity, r, s]) => ({
    chainId: quantity(toBigInt(chainId)),
    address,
    nonce: quantity(toBigInt(nonce)),
    yParity: quantity(toBigInt(yParity)),
    r: quantity(toBigInt(r)),
    s: quantity(toBigInt(s)),
  }));
}

function numberOf(fields: TransactionFields, name: string): bigint {
  return toBigInt(fields.text(name));
}

function toBigInt(item: unknown): bigint {
  return typeof item === 'string' && item !== '0x' ? BigInt(item) : 0n;
}

/** An item of RLP: bytes, or a list of items. */
type RlpBytes = Uint8Array | readonly RlpBytes[];
/** The same in hex. */
type RlpItem = Hex | readonly RlpItem[];

const SIGNATURE = ['v', 'r', 's'] as const;
const BODY = ['gas', 'to', 'value', 'input'] as const;

/** The fields of a signed transaction in the order of its RLP, by type: EIP-155, EIP-2930, EIP-1559, EIP-7702. */
const LAYOUTS = {
  '0x0': ['nonce', 'gasPrice', ...BODY, ...SIGNATURE],
  '0x1': ['chainId', 'nonce', 'gasPrice', ...BODY, 'accessList', ...SIGNATURE],
  '0x2': ['chainId', 'nonce', 'maxPriorityFeePerGas', 'maxFeePerGas', ...BODY, 'accessList', ...SIGNATURE],
  '0x4': [
    'chainId',
    'nonce',
    'maxPriorityFeePerGas',
    'maxFeePerGas',
    ...BODY,
    'accessList',
    'authorizationList',
    ...SIGNATURE,
  ],
} as const;

/** The types of transaction that this chain accepts. */
type TransactionType = keyof typeof LAYOUTS;

/** The fields of a signed transaction from its RLP: empty quantities are `0x`. */
interface TransactionFields {
  readonly type: TransactionType;
  /** A field of bytes; `0x` if the type does not have it. */
  text(name: string): Hex;
  /** A field that is a list; empty if the type does not have it. */
  list(name: string): readonly (readonly RlpItem[])[];
}

/** @throws Error for bytes that are not a transaction of this chain. */
export function transactionFields(raw: Uint8Array): TransactionFields {
  const type = typeOf(raw);
  // As bytes: viem converts them to hex one by one, which is slow.
  const items = fromRlp(type === '0x0' ? raw : raw.subarray(1), 'bytes') as readonly RlpBytes[];
  const layout: readonly string[] = LAYOUTS[type];
  const field = (name: string): RlpBytes | undefined => items[layout.indexOf(name)];
  return {
    type,
    text: (name) => {
      const value = field(name);
      return value instanceof Uint8Array ? hex(value) : '0x';
    },
    list: (name) => {
      const value = field(name);
      return value === undefined || value instanceof Uint8Array
        ? []
        : (value.map(toText) as readonly (readonly RlpItem[])[]);
    },
  };
}

function toText(item: RlpBytes): RlpItem {
  return item instanceof Uint8Array ? hex(item) : item.map(toText);
}

/** A legacy transaction starts with the prefix of a list (0xc0 and above), a typed one with its type (EIP-2718). */
function typeOf(raw: Uint8Array): TransactionType {
  const first = raw[0] ?? 0;
  if (first >= 0xc0) return '0x0';
  const type = `0x${first}`;
  if (type in LAYOUTS) return type as TransactionType;
  throw new Error(`Transactions of type ${type} do not exist on this chain`);
}
