import type { Hex } from 'viem';
import type { Backend, HeadEvent, RpcHeader, SyncState } from '../backends/backend.js';
import type { ChainFollower } from './chain-follower.js';

/** Listens to the backend once, while anybody follows, and tells everybody in order. A backend that nobody listens to has less to do. */
export class ChainFeed {
  readonly #followers = new Set<ChainFollower>();
  #stop: (() => void) | null = null;
  #last: RpcHeader | null = null;

  constructor(private readonly backend: Backend) {}

  /** @returns what ends it; to be called once. */
  follow(follower: ChainFollower): () => void {
    this.#followers.add(follower);
    this.#stop ??= this.backend.listen({
      onHead: (event) => this.#onHead(event),
      onPendingTransaction: (hash) => this.#onPendingTransaction(hash),
      onSyncing: (state) => this.#onSyncing(state),
    });
    return () => this.#leave(follower);
  }

  #leave(follower: ChainFollower): void {
    this.#followers.delete(follower);
    if (this.#followers.size > 0) return;
    this.#stop?.();
    this.#stop = null;
    this.#last = null;
  }

  #onHead(event: HeadEvent): void {
    const gap = this.#last !== null && !continues(this.#last, event);
    this.#last = event.header;
    for (const follower of this.#followers) {
      if (gap) follower.onGap();
      follower.onHead(event);
    }
  }

  #onPendingTransaction(hash: Hex): void {
    for (const follower of this.#followers) follower.onPendingTransaction(hash);
  }

  #onSyncing(state: SyncState): void {
    for (const follower of this.#followers) follower.onSyncing(state);
  }
}

function continues(last: RpcHeader, { header, removed }: HeadEvent): boolean {
  const newest = removed[0];
  const oldest = removed.at(-1);
  if (newest === undefined || oldest === undefined) return header.parentHash === last.hash;
  return newest.hash === last.hash && header.parentHash === oldest.parentHash;
}
