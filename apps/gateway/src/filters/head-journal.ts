import type { HeadEvent, RpcHeader } from '../backends/backend.js';
import type { JournalBlock } from './journal-block.js';

/** What became of the chain since a cursor, blocks that came and went between left out. */
export interface JournalChange {
  /** Blocks of before the cursor that are canonical no more, newest first. */
  readonly removed: readonly JournalBlock[];
  /** Blocks that are canonical now and were not then, oldest first, each with the cursor right after it. */
  readonly added: readonly { readonly block: JournalBlock; readonly cursor: number }[];
}

interface Entry {
  readonly block: JournalBlock;
  readonly isRemoval: boolean;
}

/** Entries that are kept: some hours of an ordinary chain. */
const MOST_ENTRIES = 8_192;

/** The order in which blocks came and went. A cursor is the number of entries before it. */
export class HeadJournal {
  #entries: Entry[] = [];
  /** Cursor before the first entry that is kept. */
  #start = 0;

  /** The cursor after everything so far. */
  get end(): number {
    return this.#start + this.#entries.length;
  }

  record({ header, removed }: HeadEvent): void {
    for (const gone of removed) this.#entries.push({ block: blockOf(gone), isRemoval: true });
    this.#entries.push({ block: blockOf(header), isRemoval: false });
    // Twice as many as are kept before they are cut, so that cutting is rare.
    if (this.#entries.length <= 2 * MOST_ENTRIES) return;
    this.#start += this.#entries.length - MOST_ENTRIES;
    this.#entries = this.#entries.slice(-MOST_ENTRIES);
  }

  /** No cursor of before this is known any more. */
  reset(): void {
    this.#start = this.end + 1;
    this.#entries = [];
  }

  /** Null if the cursor is of a time that is not kept any more. */
  since(cursor: number): JournalChange | null {
    if (cursor < this.#start) return null;
    const removed: JournalBlock[] = [];
    const added: { block: JournalBlock; cursor: number }[] = [];
    for (let at = cursor - this.#start; at < this.#entries.length; at += 1) {
      const entry = this.#entries[at];
      if (entry === undefined) break;
      if (!entry.isRemoval) added.push({ block: entry.block, cursor: this.#start + at + 1 });
      else if (added.at(-1)?.block.hash === entry.block.hash) added.pop();
      else removed.push(entry.block);
    }
    return { removed, added };
  }
}

function blockOf({ hash, number }: RpcHeader): JournalBlock {
  return { hash, number: Number(number) };
}
