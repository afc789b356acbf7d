import type { StoredBlock } from '@causeway/partner-chain';
import { keccak256, sha256, type Hex } from 'viem';
import type { RpcHeader } from '../../backend.js';
import { hex } from './hex.js';
import { quantity } from './quantity.js';

/** Hash of the empty list in RLP: this chain has no uncles. */
const NO_UNCLES = keccak256('0xc0');
/** Root of an empty trie: no withdrawals (EIP-4895). */
const NO_WITHDRAWALS = keccak256('0x80');
/** No requests (EIP-7685). */
const NO_REQUESTS = sha256('0x');
const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;

/** A block's header as `newHeads` delivers it. Fields this chain has no use for have Ethereum's empty values. */
export function formatHeader({ header, hash }: StoredBlock): RpcHeader {
  return {
    number: quantity(header.number),
    hash: hex(hash),
    parentHash: hex(header.parentHash),
    sha3Uncles: NO_UNCLES,
    miner: hex(header.coinbase),
    stateRoot: hex(header.stateRoot),
    transactionsRoot: hex(header.transactionsRoot),
    receiptsRoot: hex(header.receiptsRoot),
    logsBloom: hex(header.logsBloom),
    difficulty: '0x0',
    gasLimit: quantity(header.gasLimit),
    gasUsed: quantity(header.gasUsed),
    timestamp: quantity(header.timestamp),
    extraData: '0x',
    mixHash: hex(header.prevRandao),
    nonce: '0x0000000000000000',
    baseFeePerGas: quantity(header.baseFeePerGas),
    withdrawalsRoot: NO_WITHDRAWALS,
    blobGasUsed: '0x0',
    excessBlobGas: '0x0',
    parentBeaconBlockRoot: ZERO_HASH,
    requestsHash: NO_REQUESTS,
  };
}
