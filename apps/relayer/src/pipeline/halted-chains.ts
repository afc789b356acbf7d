import type { Operation, Store } from '@causeway/store';

/** Whether an operation touches a halted chain. */
type TouchesHalted = (operation: Pick<Operation, 'originChainId' | 'destinationChainId'>) => boolean;

/**
 * Reads the halted chains. The database itself refuses the writes that a halt forbids. This check is for what it cannot
 * refuse: requests to nodes, and broadcasts of transactions that were signed before.
 *
 * @returns a predicate with the halts at the time of reading.
 */
export async function haltedChains(store: { readonly halts: Pick<Store['halts'], 'list'> }): Promise<TouchesHalted> {
  const halted = new Set((await store.halts.list()).map(({ chainId }) => chainId));
  return ({ originChainId, destinationChainId }) => halted.has(originChainId) || halted.has(destinationChainId);
}

/**
 * Whether nothing may be sent now, because the deliveries are halted. The database refuses to sign then; this check is
 * for broadcasts of transactions that were signed before.
 */
export async function areDeliveriesHalted(store: Store): Promise<boolean> {
  return (await store.halts.deliveries()) !== null;
}

/** Whether nothing that many operations share may be sent now: a chain or the deliveries are halted. */
export async function isSendingHalted(store: Store): Promise<boolean> {
  return (await isAnyChainHalted(store)) || (await areDeliveriesHalted(store));
}

/** Whether any chain is halted now. */
export async function isAnyChainHalted(store: Store): Promise<boolean> {
  return (await store.halts.list()).length > 0;
}
