import { keccak256, toRlp, trim, type Hex } from 'viem';
import type { RpcBlock } from './rpc-shapes.js';

/** An integer of JSON-RPC as RLP wants it: without leading zeros, zero as nothing. */
export function rlpInteger(value: Hex): Hex {
  const trimmed = trim(value.length % 2 === 0 ? value : `0x0${value.slice(2)}`);
  return trimmed === '0x00' ? '0x' : trimmed;
}

/**
 * The hash of a header, computed from its fields (Yellow Paper 4.4; the later fields by EIP-1559, 4895, 4844, 4788 and
 * 7685). A node cannot change a field without changing the hash.
 */
export function headerHash(block: RpcBlock): Hex {
  const later = [
    block.baseFeePerGas && rlpInteger(block.baseFeePerGas),
    block.withdrawalsRoot,
    block.blobGasUsed && rlpInteger(block.blobGasUsed),
    block.excessBlobGas && rlpInteger(block.excessBlobGas),
    block.parentBeaconBlockRoot,
    block.requestsHash,
  ].filter((field) => field !== null && field !== undefined);
  return keccak256(
    toRlp([
      block.parentHash,
      block.sha3Uncles,
      block.miner,
      block.stateRoot,
      block.transactionsRoot,
      block.receiptsRoot,
      block.logsBloom,
      rlpInteger(block.difficulty),
      rlpInteger(block.number),
      rlpInteger(block.gasLimit),
      rlpInteger(block.gasUsed),
      rlpInteger(block.timestamp),
      block.extraData,
      block.mixHash,
      block.nonce,
      ...later,
    ] as Hex[]),
  );
}
