import { createHash } from 'node:crypto';
import { RLP } from '@ethereumjs/rlp';
import { bigIntToUnpaddedBytes, bytesToBigInt, KECCAK256_RLP, KECCAK256_RLP_ARRAY } from '@ethereumjs/util';
import type { Header } from './header.js';

const EMPTY = new Uint8Array(0);
const ZERO_HASH = new Uint8Array(32);
/** The hash of no requests at all (EIP-7685). */
export const EMPTY_REQUESTS_HASH: Uint8Array = createHash('sha256').digest();

/** RLP of a header, whose keccak-256 is the block's hash. Fields this chain has no use for have Ethereum's empty values. */
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

/** The header of such bytes. */
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
