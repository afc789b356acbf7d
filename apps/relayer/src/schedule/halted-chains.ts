import type { Operation, Store } from '@causeway/store';

/** Tells whether an operation touches a chain that was halted when this was read. */
export type TouchesHalted = (operation: Pick<Operation, 'originChainId' | 'destinationChainId'>) => boolean;

/**
 * Reads which chains are halted. The database refuses by itself what a halt forbids; this is for what it cannot refuse:
 * questions to nodes, and sending what was signed before.
 */
export async function haltedChains(store: Store): Promise<TouchesHalted> {
  const halted = new Set((await store.halts.list()).map(({ chainId }) => chainId));
  return ({ originChainId, destinationChainId }) => halted.has(originChainId) || halted.has(destinationChainId);
}
