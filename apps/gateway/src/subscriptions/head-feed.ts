import type { Backend, BackendListener, HeadEvent, RpcHeader } from '../backends/backend.js';

/** Follows the chain through the feed. Implementations must not throw. */
interface HeadFollower extends Partial<BackendListener> {
  onHead(event: HeadEvent): void;
  /** The next head does not continue the last one: blocks in between are missing. Called before its onHead. */
  onGap(): void;
}

/** Starts something for the first holder and stops it after the last. Each holder calls the returned function once. */
export function whileHeld(start: () => () => void): () => () => void {
  let holders = 0;
  let stop: (() => void) | null = null;
  return () => {
    holders += 1;
    stop ??= start();
    return () => {
      holders -= 1;
      if (holders > 0) return;
      stop?.();
      stop = null;
    };
  };
}

/** Listens to the backend once for all followers, and only while there are any, and detects gaps between heads. */
export class HeadFeed {
  private readonly followers = new Set<HeadFollower>();
  private last: RpcHeader | null = null;
  private readonly listen = whileHeld(() => {
    this.last = null;
    return this.backend.listen({
      onHead: (event) => this.onHead(event),
      onPendingTransaction: (hash) => {
        for (const each of this.followers) each.onPendingTransaction?.(hash);
      },
      onSyncing: (state) => {
        for (const each of this.followers) each.onSyncing?.(state);
      },
    });
  });

  constructor(private readonly backend: Backend) {}

  /** @returns a function that ends it, to be called once. */
  follow(follower: HeadFollower): () => void {
    this.followers.add(follower);
    const release = this.listen();
    return () => {
      this.followers.delete(follower);
      release();
    };
  }

  private onHead(event: HeadEvent): void {
    const isGap = this.last !== null && !continues(this.last, event);
    this.last = event.header;
    for (const follower of this.followers) {
      if (isGap) follower.onGap();
      follower.onHead(event);
    }
  }
}

function continues(last: RpcHeader, { header, removed }: HeadEvent): boolean {
  const newest = removed[0];
  const oldest = removed.at(-1);
  if (newest === undefined || oldest === undefined) return header.parentHash === last.hash;
  return newest.hash === last.hash && header.parentHash === oldest.parentHash;
}
