import type { PartnerChain, PendingBounds, StoredBlock } from '@causeway/partner-chain';
import { hexToBytes, type Hex } from 'viem';

/** Tags of the Ethereum JSON-RPC. */
type BlockTag = 'latest' | 'earliest' | 'pending' | 'safe' | 'finalized';

/** A block as a client names it: number, tag, or by EIP-1898. */
export type BlockParam =
  Hex | BlockTag | { readonly blockNumber: Hex } | { readonly blockHash: Hex; readonly requireCanonical?: boolean };

/** Limits of the pending block: the pool may hold far more transactions than a block does. */
export const PENDING_BOUNDS: PendingBounds = { transactions: 1_000, bytes: 1024 * 1024 };

/**
 * The number of a block, or null if it does not exist. `pending` is the newest block, since pending transactions are
 * not executed before their block is made. `safe` and `finalized` follow the bridge's confirmations.
 */
export function findBlockNumber(chain: PartnerChain, param: BlockParam): number | null {
  const head = chain.headNumber();
  if (typeof param === 'object') {
    return 'blockHash' in param ? findBlockNumberByHash(chain, param.blockHash) : atMost(head, param.blockNumber);
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
      return atMost(head, param);
  }
}

/** The number of the block with a hash, or null if it does not exist. */
export function findBlockNumberByHash(chain: PartnerChain, blockHash: Hex): number | null {
  return chain.reader.numberOf(hexToBytes(blockHash));
}

/** The block itself, or null if it does not exist. */
export function findBlock(chain: PartnerChain, param: BlockParam): StoredBlock | null {
  const blockNumber = findBlockNumber(chain, param);
  return blockNumber === null ? null : chain.reader.block(blockNumber);
}

function atMost(head: number, number: Hex): number | null {
  const value = BigInt(number);
  return value > BigInt(head) ? null : Number(value);
}
