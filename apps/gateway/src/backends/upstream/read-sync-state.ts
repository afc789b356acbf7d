import type { Hex } from 'viem';
import type { SyncState } from '../backend.js';

/** The answer of eth_syncing. Whatever is neither `false` nor an object with two heights counts as not syncing. */
export function readSyncState(answer: unknown): SyncState {
  if (typeof answer !== 'object' || answer === null) return false;
  const { startingBlock, currentBlock, highestBlock } = answer as Record<string, unknown>;
  if (!isQuantity(currentBlock) || !isQuantity(highestBlock)) return false;
  return { startingBlock: isQuantity(startingBlock) ? startingBlock : '0x0', currentBlock, highestBlock };
}

function isQuantity(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]{1,16}$/.test(value);
}
