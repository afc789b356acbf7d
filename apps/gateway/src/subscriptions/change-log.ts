import type { Hex } from 'viem';
import type { HeadEvent, RpcHeader } from '../backends/backend.js';
import { whileHeld, type HeadFeed } from './head-feed.js';

export interface ChangedBlock {
  readonly hash: Hex;
  readonly number: number;
}

/** The difference between the chain now and at a cursor, without blocks that were added and removed in between. */
export interface HeadChanges {
  /** Blocks from before the cursor that are no longer canonical, newest first. */
  readonly removed: readonly ChangedBlock[];
  /** Blocks that have become canonical, oldest first, each with the cursor right after it. */
  readonly added: readonly { readonly block: ChangedBlock; readonly cursor: number }[];
}

/** Maximum entries: some hours of an ordinary chain. */
const MAX_HEADS = 8_192;
/** Maximum hashes; a filter that is polled too late misses the older ones. */
const MAX_PENDING = 20_000;

/** A list of the newest entries. A cursor is the number of entries ever added before it. */
class BoundedLog<Item> {
  private items: Item[] = [];
  /** Cursor before the first stored item. */
  start = 0;

  constructor(private readonly maxLength: number) {}

  get end(): number {
    return this.start + this.items.length;
  }

  add(item: Item): void {
    this.items.push(item);
    // Cuts only at twice the maximum, so that cutting is rare.
    if (this.items.length > 2 * this.maxLength) this.cut(this.items.length - this.maxLength);
  }

  since(cursor: number): readonly Item[] {
    return this.items.slice(Math.max(0, cursor - this.start));
  }

  /** Drops the oldest items; all by default. */
  cut(count = this.items.length): void {
    this.start += count;
    this.items = this.items.slice(count);
  }
}

/** Records chain changes once for all filters, while there are any. */
export class ChangeLog {
  readonly pending = new BoundedLog<Hex>(MAX_PENDING);
  private readonly heads = new BoundedLog<{ readonly block: ChangedBlock; readonly isRemoval: boolean }>(MAX_HEADS);
  private readonly waiters = new Set<{ readonly number: number; readonly resolve: () => void }>();
  private newest = -1;
  /** Records until every holder has released it. @returns a function that releases it, to be called once. */
  readonly hold = whileHeld(() => {
    const leave = this.feed.follow({
      onHead: (event) => this.onHead(event),
      onPendingTransaction: (hash) => this.pending.add(hash),
      onGap: () => this.forgetHeads(),
    });
    return () => {
      leave();
      this.forgetHeads();
      this.pending.cut();
      this.newest = -1;
    };
  });

  constructor(private readonly feed: HeadFeed) {}

  get headCursor(): number {
    return this.heads.end;
  }

  /** Returns the block changes since a cursor; null if the cursor is too old. */
  headsSince(cursor: number): HeadChanges | null {
    if (cursor < this.heads.start) return null;
    const removed: ChangedBlock[] = [];
    const added: { block: ChangedBlock; cursor: number }[] = [];
    for (const [offset, { block, isRemoval }] of this.heads.since(cursor).entries()) {
      if (!isRemoval) added.push({ block, cursor: cursor + offset + 1 });
      else if (added.at(-1)?.block.hash === block.hash) added.pop();
      else removed.push(block);
    }
    return { removed, added };
  }

  /** Resolves when a block of this number or a later one is recorded, or after the timeout. */
  async reaches(number: number, timeoutMs: number): Promise<void> {
    if (this.newest >= number) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter = { number, resolve };
    this.waiters.add(waiter);
    const timer = setTimeout(resolve, timeoutMs);
    await promise;
    clearTimeout(timer);
    this.waiters.delete(waiter);
  }

  private onHead({ header, removed }: HeadEvent): void {
    for (const gone of removed) this.heads.add({ block: toChangedBlock(gone), isRemoval: true });
    this.heads.add({ block: toChangedBlock(header), isRemoval: false });
    this.newest = Number(header.number);
    for (const { number, resolve } of this.waiters) if (this.newest >= number) resolve();
  }

  /** Makes every earlier cursor too old. */
  private forgetHeads(): void {
    this.heads.cut();
    this.heads.start += 1;
  }
}

function toChangedBlock({ hash, number }: RpcHeader): ChangedBlock {
  return { hash, number: Number(number) };
}
