import type { Hex } from 'viem';
import type { BackendListener, HeadEvent, SyncState } from '../backend.js';

/** Everybody who listens to the chain. */
export class Listeners {
  private readonly all = new Set<BackendListener>();

  /** @param changed told how many listen, after each change. */
  constructor(private readonly changed: (count: number) => void) {}

  add(listener: BackendListener): () => void {
    // An object of its own: the same listener added twice is two.
    const entry: BackendListener = {
      onHead: (event) => listener.onHead(event),
      onPendingTransaction: (hash) => listener.onPendingTransaction(hash),
      onSyncing: (state) => listener.onSyncing(state),
    };
    this.all.add(entry);
    this.changed(this.all.size);
    return () => {
      if (this.all.delete(entry)) this.changed(this.all.size);
    };
  }

  head(event: HeadEvent): void {
    for (const listener of this.all) listener.onHead(event);
  }

  pendingTransaction(hash: Hex): void {
    for (const listener of this.all) listener.onPendingTransaction(hash);
  }

  syncing(state: SyncState): void {
    for (const listener of this.all) listener.onSyncing(state);
  }
}
