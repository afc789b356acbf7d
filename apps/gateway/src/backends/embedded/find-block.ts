import type { PartnerChain, StoredBlock } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';
import type { BlockParam } from './block-param.js';

/**
 * The number of the block that a caller names; null if it is not there. `pending` is the newest block: what waits is not executed before its
 * block is made. `safe` and `finalized` follow the bridge's confirmations.
 */
export function findBlockNumber(chain: PartnerChain, param: BlockParam): number | null {
  const head = chain.headNumber();
  if (typeof param === 'object') {
    return 'blockHash' in param ? findBlockNumberByHash(chain, param.blockHash) : within(param.blockNumber, head);
  }
  switch (param) {
    case 'latest':
    case 'pending':
      return head;
    case 'earliest':
      return 0;
    case 'safe':
    case 'finalized':
      return Math.max(0, head - (chain.options.confirmations - 1));
    default:
      return within(param, head);
  }
}

/** The block itself. */
export function findBlock(chain: PartnerChain, param: BlockParam): StoredBlock | null {
  const blockNumber = findBlockNumber(chain, param);
  return blockNumber === null ? null : chain.reader.block(blockNumber);
}

export function findBlockNumberByHash(chain: PartnerChain, blockHash: Hex): number | null {
  return chain.reader.numberOf(hexToBytes(blockHash));
}

function within(number: Hex, head: number): number | null {
  const value = BigInt(number);
  return value > BigInt(head) ? null : Number(value);
}
