import { createHash } from 'node:crypto';
import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, bytesToBigInt, KECCAK256_RLP, KECCAK256_RLP_ARRAY } from '@ethereumjs/util';

/** A block's header, with Ethereum's fields since Prague (EIP-7685). */
export interface Header {
  readonly parentHash: Uint8Array;
  readonly coinbase: Uint8Array;
  readonly stateRoot: Uint8Array;
  readonly transactionsRoot: Uint8Array;
  readonly receiptsRoot: Uint8Array;
  readonly logsBloom: Uint8Array;
  readonly number: number;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970. */
  readonly timestamp: number;
  readonly prevRandao: Uint8Array;
  /** In wei, as in JSON-RPC. */
  readonly baseFeePerGas: bigint;
}

const EMPTY = new Uint8Array(0);
const ZERO_HASH = new Uint8Array(32);
/** The hash of an empty list of requests (EIP-7685). */
const EMPTY_REQUESTS_HASH: Uint8Array = createHash('sha256').digest();

/**
 * Encodes a header as RLP, whose keccak-256 is the block's hash. Fields that this chain does not use have Ethereum's
 * empty values.
 */
export function encodeHeader(header: Header): Uint8Array {
  return RLP.encode([
    header.parentHash,
    KECCAK256_RLP_ARRAY, // no uncles
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.logsBloom,
    EMPTY, // difficulty 0 (EIP-3675)
    bigIntToUnpaddedBytes(BigInt(header.number)),
    bigIntToUnpaddedBytes(header.gasLimit),
    bigIntToUnpaddedBytes(header.gasUsed),
    bigIntToUnpaddedBytes(BigInt(header.timestamp)),
    EMPTY, // extra data
    header.prevRandao,
    new Uint8Array(8), // nonce
    bigIntToUnpaddedBytes(header.baseFeePerGas),
    KECCAK256_RLP, // no withdrawals (EIP-4895)
    EMPTY, // blob gas used (EIP-4844)
    EMPTY, // excess blob gas
    ZERO_HASH, // no beacon chain (EIP-4788)
    EMPTY_REQUESTS_HASH,
  ]);
}

/** Decodes the RLP of `encodeHeader`. */
export function decodeHeader(bytes: Uint8Array): Header {
  const fields = RLP.decode(bytes) as Uint8Array[];
  const field = (index: number): Uint8Array => fields[index] ?? EMPTY;
  const quantity = (index: number): bigint => bytesToBigInt(field(index));
  return {
    parentHash: field(0),
    coinbase: field(2),
    stateRoot: field(3),
    transactionsRoot: field(4),
    receiptsRoot: field(5),
    logsBloom: field(6),
    number: Number(quantity(8)),
    gasLimit: quantity(9),
    gasUsed: quantity(10),
    timestamp: Number(quantity(11)),
    prevRandao: field(13),
    baseFeePerGas: quantity(15),
  };
}
