import type { Operation, Store } from '@causeway/store';

type TouchesHalted = (operation: Pick<Operation, 'originChainId' | 'destinationChainId'>) => boolean;

/**
 * Reads the halted chains. The database refuses the writes that a halt forbids. This check covers what the database
 * cannot refuse: requests to nodes, and broadcasts of transactions that are already signed.
 *
 * @returns a predicate for the halts at the time of reading.
 */
export async function haltedChains(store: { readonly halts: Pick<Store['halts'], 'list'> }): Promise<TouchesHalted> {
  const halted = new Set((await store.halts.list()).map(({ chainId }) => chainId));
  return ({ originChainId, destinationChainId }) => halted.has(originChainId) || halted.has(destinationChainId);
}

/**
 * Whether deliveries are halted. The database then refuses new calls; this check covers broadcasts of transactions that
 * are already signed.
 */
export async function areDeliveriesHalted(store: Store): Promise<boolean> {
  return (await store.halts.deliveries()) !== null;
}

/** Whether a chain or the deliveries are halted, which forbids calls that many operations share. */
export async function isSendingHalted(store: Store): Promise<boolean> {
  return (await isAnyChainHalted(store)) || (await areDeliveriesHalted(store));
}

export async function isAnyChainHalted(store: Store): Promise<boolean> {
  return (await store.halts.list()).length > 0;
}
