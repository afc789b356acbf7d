import type { PendingTransaction, StoredBlock, StoredTransaction } from '@causeway/partner-chain';
import type { Hex } from 'viem';
import { hex } from './hex.js';
import { quantity } from './quantity.js';
import { transactionFields, type TransactionFields } from './transaction-fields.js';

/** Where a mined transaction stands. */
export interface TransactionPlace {
  readonly block: StoredBlock;
  readonly index: number;
}

/** A transaction of a block in the JSON shape of the Ethereum JSON-RPC, values in wei. */
export function formatMined(
  { hash, raw, sender, index }: StoredTransaction,
  block: StoredBlock,
): Readonly<Record<string, unknown>> {
  return formatTransaction({ hash: hex(hash), raw, sender: hex(sender) }, { block, index });
}

/** Any transaction in that shape. @param place null for one that waits in the pool. */
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

/** `gasPrice` of a mined transaction is what it paid, of a waiting one the most it would pay, as geth has it. */
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

/** v = 35 + 2 × chain id + parity (EIP-155); the chain takes no others. */
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
