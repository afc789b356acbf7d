import type { Common } from '@ethereumjs/common';
import { RLP } from '@ethereumjs/rlp';
import {
  Capability,
  createLegacyTxFromBytesArray,
  createTxFromRLP,
  isBlob4844Tx,
  isFeeMarket1559Tx,
  isEOACode7702Tx,
  type TypedTransaction,
} from '@ethereumjs/tx';
import { Address, bytesToBigInt, bytesToHex, validateNoLeadingZeroes } from '@ethereumjs/util';
import { rejected } from '../errors.js';
import { keccak256 } from '../keccak256.js';
import { feeInUnits, toUnits } from '../units.js';

/** Maximum size of a signed transaction in bytes, as in Ethereum's public pools. */
export const MAX_TRANSACTION_BYTES = 128 * 1024;

/**
 * Above this chain id, the `v` of a legacy transaction (EIP-155) exceeds 2^53, and EthereumJS computes it as a number.
 */
const LAST_CHAIN_ID_OF_ETHEREUMJS = (2n ** 53n - 1n - 36n) / 2n;
/** The lowest first byte of an RLP list, and so of a legacy transaction; the other types start with a lower byte. */
const RLP_LIST = 0xc0;

/** A signed transaction that passed all stateless checks: well-formed, for this chain, signed by `sender`. */
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
 * Decodes a signed transaction of type 0, 1, 2 or 4. Checks everything that needs no state: encoding, chain id,
 * signature (low s), value without dust, intrinsic and floor gas, limits of initcode and gas.
 *
 * @throws PartnerChainError TRANSACTION_REJECTED with the reason, in wording that viem and ethers recognise where it
 * exists.
 */
export function decodeTransaction(raw: Uint8Array, common: Common): ChainTransaction {
  if (raw.length > MAX_TRANSACTION_BYTES) {
    throw rejected(`the transaction has ${raw.length} bytes, above the maximum of ${MAX_TRANSACTION_BYTES}`);
  }
  const tx = parse(raw, common);
  if (isBlob4844Tx(tx)) throw rejected('transaction type not valid: this chain has no blobs (type 3)');
  if (tx.type === 0 && tx.v !== undefined && !tx.supports(Capability.EIP155ReplayProtection)) {
    throw rejected(
      'only replay-protected transactions are allowed: ' +
        `the transaction names no chain id (EIP-155); sign it for chain ${common.chainId()}`,
    );
  }
  if (!tx.isSigned()) throw rejected('the transaction is not signed');
  const maxFeePerGas = isFeeMarket1559Tx(tx) || isEOACode7702Tx(tx) ? tx.maxFeePerGas : tx.gasPrice;
  const maxPriorityFeePerGas = isFeeMarket1559Tx(tx) || isEOACode7702Tx(tx) ? tx.maxPriorityFeePerGas : tx.gasPrice;
  const needed = tx.getMinimumGasLimit();
  if (tx.gasLimit < needed) throw rejected(`intrinsic gas too low: gas limit ${tx.gasLimit}, needed ${needed}`);
  return {
    tx,
    hash: bytesToHex(tx.hash()),
    sender: recoverSender(tx),
    valueUnits: requireUnits(tx.value),
    maxFeePerGas,
    maxPriorityFeePerGas,
    raw,
  };
}

/**
 * Computes the maximum cost of a transaction in units of 8 decimals: its value, and all its gas at its highest price.
 */
export function costInUnits(transaction: ChainTransaction): bigint {
  return transaction.valueUnits + feeInUnits(transaction.tx.gasLimit * transaction.maxFeePerGas);
}

/** Errors of EthereumJS, with the wording by which clients recognise them. */
const KNOWN_FAULTS: readonly (readonly [RegExp, string])[] = [
  [/less than maxPriorityFeePerGas/, 'max priority fee per gas higher than max fee per gas'],
  [/exceeds the maximum allowed by EIP-7825/, 'intrinsic gas too high'],
  [/^nonce cannot equal or exceed/, 'nonce has max value'],
  [/^TypedTransaction with ID \d+ unknown/, 'transaction type not valid'],
];

function parse(raw: Uint8Array, common: Common): TypedTransaction {
  try {
    const isLegacy = (raw[0] ?? 0) >= RLP_LIST;
    if (isLegacy && common.chainId() > LAST_CHAIN_ID_OF_ETHEREUMJS) return parseLegacy(raw, common);
    return createTxFromRLP(raw, { common, freeze: false });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (/chain ?id/i.test(reason)) {
      throw rejected(`the transaction is signed for another chain; this is chain ${common.chainId()}`, error);
    }
    const known = KNOWN_FAULTS.find(([pattern]) => pattern.test(reason));
    throw rejected(`${known?.[1] ?? 'the transaction cannot be read'}: ${firstLine(reason)}`, error);
  }
}

/** Decodes a legacy transaction without its signature, then adds the signature, which EthereumJS would misread. */
function parseLegacy(raw: Uint8Array, common: Common): TypedTransaction {
  const fields = RLP.decode(raw) as Uint8Array[];
  const tx = createLegacyTxFromBytesArray(fields.slice(0, 6), { common, freeze: false });
  const [v, r, s] = fields.slice(6);
  if (fields.length !== 9 || v === undefined || r === undefined || s === undefined) return tx;
  if ([v, r, s].some((field) => !(field instanceof Uint8Array) || field.length > 32)) {
    throw new Error('a part of the signature is not a number of up to 32 bytes');
  }
  validateNoLeadingZeroes({ v, r, s });
  const parity = bytesToBigInt(v) - (common.chainId() * 2n + 35n);
  if (parity !== 0n && parity !== 1n) throw new Error('the chain id in v is of another chain');
  return Object.assign(tx, { v: bytesToBigInt(v), r: bytesToBigInt(r), s: bytesToBigInt(s) });
}

function recoverSender(tx: TypedTransaction): Address {
  try {
    return new Address(keccak256(tx.getSenderPublicKey()).subarray(-20));
  } catch (error) {
    throw rejected('the signature is not valid', error);
  }
}

function requireUnits(wei: bigint): bigint {
  try {
    return toUnits(wei);
  } catch (error) {
    throw rejected(error instanceof Error ? error.message : String(error), error);
  }
}

/** Drops the dump of the transaction that EthereumJS appends in brackets. */
function firstLine(reason: string): string {
  return reason.split(' (')[0]?.slice(0, 200) ?? reason;
}
