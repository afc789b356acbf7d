import type { Common } from '@ethereumjs/common';
import {
  Capability,
  createTxFromRLP,
  isBlob4844Tx,
  isFeeMarket1559Tx,
  isEOACode7702Tx,
  type TypedTransaction,
} from '@ethereumjs/tx';
import { Address, bytesToHex } from '@ethereumjs/util';
import { rejected } from '../errors.js';
import { keccak256 } from '../keccak256.js';
import { feeInUnits, toUnits } from '../units.js';

/** The most bytes of a signed transaction, as in Ethereum's public pools. */
export const MAX_TRANSACTION_BYTES = 128 * 1024;

/** A signed transaction that passed all checks without the state: well-formed, of this chain, signed by `sender`. */
export interface ChainTransaction {
  readonly tx: TypedTransaction;
  /** Lower-case 0x-hex of the transaction hash. */
  readonly hash: `0x${string}`;
  readonly sender: Address;
  /** The value inside the EVM, in units of 8 decimals. */
  readonly valueUnits: bigint;
  /** The highest price of a unit of gas, in wei. */
  readonly maxFeePerGas: bigint;
  readonly maxPriorityFeePerGas: bigint;
  /** The signed bytes, as received. */
  readonly raw: Uint8Array;
}

/**
 * Decodes a signed transaction of type 0, 1, 2 or 4. Checks everything that needs no state: form, chain id, signature
 * (low s), value without dust, intrinsic and floor gas, limits of initcode and gas.
 *
 * @throws PartnerChainError TRANSACTION_REJECTED that says what is wrong.
 */
export function decodeTransaction(raw: Uint8Array, common: Common): ChainTransaction {
  if (raw.length > MAX_TRANSACTION_BYTES) {
    throw rejected(`the transaction has ${raw.length} bytes; at most ${MAX_TRANSACTION_BYTES} are accepted`);
  }
  const tx = parse(raw, common);
  if (isBlob4844Tx(tx)) throw rejected('blob transactions (type 3) are not offered on this chain');
  if (tx.type === 0 && tx.v !== undefined && !tx.supports(Capability.EIP155ReplayProtection)) {
    throw rejected(`the transaction names no chain id (EIP-155); sign it for chain ${common.chainId()}`);
  }
  if (!tx.isSigned()) throw rejected('the transaction is not signed');
  const maxFeePerGas = isFeeMarket1559Tx(tx) || isEOACode7702Tx(tx) ? tx.maxFeePerGas : tx.gasPrice;
  const maxPriorityFeePerGas = isFeeMarket1559Tx(tx) || isEOACode7702Tx(tx) ? tx.maxPriorityFeePerGas : tx.gasPrice;
  const needed = tx.getMinimumGasLimit();
  if (tx.gasLimit < needed) throw rejected(`intrinsic gas too low: gas limit ${tx.gasLimit}, needed ${needed}`);
  return {
    tx,
    hash: bytesToHex(tx.hash()),
    sender: senderOf(tx),
    valueUnits: unitsOf(tx.value),
    maxFeePerGas,
    maxPriorityFeePerGas,
    raw,
  };
}

/** The most a transaction can cost its sender, in units of 8 decimals: its value, and all its gas at its highest price. */
export function costInUnits(transaction: ChainTransaction): bigint {
  return transaction.valueUnits + feeInUnits(transaction.tx.gasLimit * transaction.maxFeePerGas);
}

function parse(raw: Uint8Array, common: Common): TypedTransaction {
  try {
    return createTxFromRLP(raw, { common, freeze: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/chain ?id/i.test(reason)) {
      throw rejected(`the transaction is signed for another chain; this is chain ${common.chainId()}`, error);
    }
    throw rejected(`the transaction cannot be read: ${firstLine(reason)}`, error);
  }
}

function senderOf(tx: TypedTransaction): Address {
  try {
    return new Address(keccak256(tx.getSenderPublicKey()).subarray(-20));
  } catch (error) {
    throw rejected('the signature is not valid', error);
  }
}

function unitsOf(wei: bigint): bigint {
  try {
    return toUnits(wei);
  } catch (error) {
    throw rejected(error instanceof Error ? error.message : String(error), error);
  }
}

/** EthereumJS appends a dump of the transaction in brackets; the caller knows it already. */
function firstLine(reason: string): string {
  return reason.split(' (')[0]?.slice(0, 200) ?? reason;
}
