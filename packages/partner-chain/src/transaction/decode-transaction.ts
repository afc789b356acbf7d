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
import { ChainError } from '../errors/chain-error.js';
import { keccak256 } from '../hash/keccak256.js';
import { toUnits } from '../units/to-units.js';
import type { ChainTransaction } from './chain-transaction.js';

/** The most bytes a signed transaction may have, as in Ethereum's public pools. */
export const MAX_TRANSACTION_BYTES = 128 * 1024;

/**
 * Reads a signed transaction of type 0, 1, 2 or 4 and checks all that can be told without the state: form, chain id, signature (low s),
 * value without dust, intrinsic and floor gas, limits of initcode and gas.
 *
 * @throws ChainError TRANSACTION_REJECTED that says what is wrong.
 */
export function decodeTransaction(raw: Uint8Array, common: Common): ChainTransaction {
  if (raw.length > MAX_TRANSACTION_BYTES) {
    throw rejected(`the transaction has ${raw.length} bytes; at most ${MAX_TRANSACTION_BYTES} are taken`);
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

function senderOf(tx: TypedTransaction): ChainTransaction['sender'] {
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

/** EthereumJS adds a dump of the transaction in brackets; the caller knows it. */
function firstLine(reason: string): string {
  return reason.split(' (')[0]?.slice(0, 200) ?? reason;
}

function rejected(message: string, cause?: unknown): ChainError {
  return new ChainError('TRANSACTION_REJECTED', message, { cause });
}
