import { keccak256, toRlp, type Hex } from 'viem';
import { rlpInteger } from './rlp-integer.js';
import type { RpcHeader } from './rpc-shapes.js';

/**
 * The hash of a header, computed from its fields (Yellow Paper 4.4; the later fields by EIP-1559, 4895, 4844, 4788 and
 * 7685). A node cannot change a field without changing the hash.
 */
export function headerHash(block: RpcHeader): Hex {
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
