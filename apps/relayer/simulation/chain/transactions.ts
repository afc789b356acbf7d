import { keccak256 } from '@causeway/partner-chain';
import secp256k1 from 'secp256k1';
import { bytesToHex, fromRlp, hexToBytes, numberToHex, pad, toRlp, type Address, type Hex } from 'viem';

// Signed EIP-1559 transactions, the only kind here. Their bytes are cut and joined instead of encoded again, since each
// schedule signs and reads dozens of them.

/** The fields of a transaction without access list. Fees in wei per gas, `value` in wei of the RPC. */
export interface UnsignedTransaction {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gas: bigint;
  readonly to: Address | null;
  readonly value: bigint;
  readonly input: Hex;
}

export interface Transaction extends UnsignedTransaction {
  readonly hash: Hex;
  readonly raw: Hex;
  readonly bytes: Uint8Array;
  readonly from: Address;
  /** In the form of the RPC. */
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly yParity: Hex };
}

/** The bytes are not a transaction that the chain accepts. */
export class InvalidTransactionError extends Error {
  override readonly name = 'InvalidTransactionError';
}

const TYPE = 2;
const FIELDS = 12;
const SIGNATURE_FIELDS = 3;
/** RLP prefix of a long list: this byte plus the number of length bytes that follow. */
const LONG_LIST = 0xf7;

/** The address of an uncompressed public key. */
export const computeAddress = (publicKey: Uint8Array): Address =>
  `0x${bytesToHex(keccak256(publicKey.subarray(1))).slice(-40)}`;

/** Signs a transaction with a 32-byte private key (RFC 6979). Uses the native library, which takes 0.1 ms. */
export function signTransaction(transaction: UnsignedTransaction, key: Uint8Array): { raw: Hex; hash: Hex } {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, input } = transaction;
  const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas].map(integer);
  const unsigned = getPayload(toRlp([...numbers, to ?? '0x', integer(value), input, []], 'bytes'));
  const { signature, recid } = secp256k1.ecdsaSign(computeDigest(unsigned), key);
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((part) => integer(BigInt(bytesToHex(part))));
  const seal = getPayload(toRlp([integer(recid), r ?? '0x', s ?? '0x'], 'bytes'));
  const bytes = typed(Buffer.concat([unsigned, seal]));
  return { raw: bytesToHex(bytes), hash: bytesToHex(keccak256(bytes)) };
}

/** Signs a digest. Returns 65 bytes that end with `v`. */
export function signDigest(digest: Hex, key: Uint8Array): Hex {
  const { signature, recid } = secp256k1.ecdsaSign(hexToBytes(digest), key);
  return `${bytesToHex(signature)}${(27 + recid).toString(16)}`;
}

/**
 * Reads a raw transaction and recovers its sender. Uses the native library, since JavaScript takes thirty times as
 * long.
 *
 * @throws InvalidTransactionError
 */
export function readTransaction(raw: Hex): Transaction {
  const bytes = hexToBytes(raw);
  if (bytes[0] !== TYPE) throw new InvalidTransactionError('transaction type not supported');
  try {
    const list = bytes.subarray(1);
    const fields = fromRlp(list, 'hex') as readonly Hex[];
    if (fields.length !== FIELDS || fields[8]?.length !== 0) throw new TypeError('It has other fields');
    const [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas, to, value, input] = fields as readonly [
      Hex,
      Hex,
      Hex,
      Hex,
      Hex,
      Hex,
      Hex,
      Hex,
      ...Hex[],
    ];
    const [yParity, r, s] = fields.slice(-SIGNATURE_FIELDS).map(toBigInt) as [bigint, bigint, bigint];
    const sealLength = fields.slice(-SIGNATURE_FIELDS).reduce((sum, field) => sum + encodedLength(field), 0);
    const digest = computeDigest(getPayload(list).slice(0, -sealLength));
    const [rHex, sHex] = [numberToHex(r), numberToHex(s)];
    const signature = hexToBytes(`0x${pad(rHex).slice(2)}${pad(sHex).slice(2)}`);
    return {
      hash: bytesToHex(keccak256(bytes)),
      raw,
      bytes,
      from: computeAddress(secp256k1.ecdsaRecover(signature, Number(yParity), digest, false)),
      chainId: Number(toBigInt(chainId)),
      nonce: Number(toBigInt(nonce)),
      maxPriorityFeePerGas: toBigInt(maxPriorityFeePerGas),
      maxFeePerGas: toBigInt(maxFeePerGas),
      gas: toBigInt(gas),
      to: to === '0x' ? null : to,
      value: toBigInt(value),
      input,
      signature: { r: rHex, s: sHex, yParity: numberToHex(yParity) },
    };
  } catch (cause) {
    throw new InvalidTransactionError('rlp: expected a signed transaction', { cause });
  }
}

function computeDigest(payload: Uint8Array): Uint8Array {
  return keccak256(typed(payload));
}

/** The type, followed by the list of these bytes. */
function typed(payload: Uint8Array): Uint8Array {
  const { length } = payload;
  if (length <= 55) return Buffer.concat([Uint8Array.of(TYPE, LONG_LIST - 55 + length), payload]);
  const size = length < 256 ? [length] : length < 65_536 ? [length >> 8, length & 255] : null;
  if (size === null) throw new RangeError(`A transaction of ${length} bytes is too long`);
  return Buffer.concat([Uint8Array.of(TYPE, LONG_LIST + size.length, ...size), payload]);
}

/** The bytes inside a list. */
function getPayload(list: Uint8Array): Uint8Array {
  const [first = 0] = list;
  return list.subarray(first > LONG_LIST ? 1 + first - LONG_LIST : 1);
}

/** The RLP length of a field of at most 55 bytes. */
function encodedLength(field: Hex): number {
  const length = (field.length - 2) / 2;
  return length === 1 && toBigInt(field) < 128n ? 1 : 1 + length;
}

function integer(value: number | bigint): Hex {
  if (BigInt(value) === 0n) return '0x';
  const digits = value.toString(16);
  return `0x${digits.length % 2 === 0 ? '' : '0'}${digits}`;
}

function toBigInt(field: Hex): bigint {
  return field === '0x' ? 0n : BigInt(field);
}
