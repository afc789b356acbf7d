import { NodeRefusedError } from '../rpc/chain-error.js';

// How much one step reads. The sizes follow what the nodes serve: halved on failure, grown on success. Pure.

/** How many blocks one request or one step covers: 1 to `most`. */
export interface ReadingSize {
  readonly blocks: number;
  /** Up to here the size doubles after a success. Above it, where requests failed before, it grows slowly. */
  readonly threshold: number;
  readonly most: number;
}

/** Starts with `blocks`, and grows to at most `most`. */
export function startingSize(blocks: number, most: number): ReadingSize {
  return { blocks: Math.min(blocks, most), threshold: most, most };
}

/** The size after a success with `read` blocks. Only one of the whole size shows that more may be possible. */
export function grown(size: ReadingSize, read: number): ReadingSize {
  const { blocks, threshold, most } = size;
  if (read < blocks) return size;
  const next = blocks < threshold ? Math.min(blocks * 2, threshold) : blocks + Math.ceil(blocks / 8);
  return { blocks: Math.min(next, most), threshold, most };
}

/** The size after a failure: at most half. `suggested`: the limit that the node named, if it did. */
export function halved({ blocks, most }: ReadingSize, suggested: number | null = null): ReadingSize {
  const half = Math.max(1, Math.floor(blocks / 2));
  const next = suggested === null || suggested < 1 || suggested >= blocks ? half : suggested;
  return { blocks: next, threshold: next, most };
}

/** Words of nodes and providers before the number of blocks that a request may cover. */
const LIMIT =
  /(?:limit(?:ed)?(?: of| to|:)?|max(?:imum)?(?: range| block range| is set to| allowed| of| number of blocks)?:?|up to a|greater than) ?(\d{1,7})\b/i;
/** Infura and others name a range that they would serve. */
const RANGE = /block range:? \[(0x[0-9a-f]+), ?(0x[0-9a-f]+)\]/i;

/** The number of blocks that a node says it serves in one request of logs; null when it names none. */
export function suggestedBlocks(error: unknown): number | null {
  if (!(error instanceof NodeRefusedError)) return null;
  const [, first, last] = RANGE.exec(error.reason) ?? [];
  if (first !== undefined && last !== undefined) return Number(BigInt(last) - BigInt(first)) + 1;
  const [, limit] = LIMIT.exec(error.reason) ?? [];
  return limit === undefined ? null : Number(limit);
}

/**
 * How a step at the head reads: several blocks together, each in one answer; or one block, `pieces` transactions or
 * receipts at a time.
 */
export interface HeadReading {
  readonly size: ReadingSize;
  readonly pieces: number | null;
}

/**
 * How to go on after a failure: fewer blocks; then one block in pieces, down to single ones. A node that refused may
 * serve half. One that did not answer is asked for one block, since each failure costs a timeout or a pause.
 */
export function lessAtHead({ size, pieces }: HeadReading, hasRefused: boolean, mostPieces: number): HeadReading {
  if (size.blocks > 1) {
    const half = halved(size);
    return { size: hasRefused ? half : { ...half, blocks: 1 }, pieces: null };
  }
  return { size, pieces: pieces === null ? mostPieces : Math.max(1, Math.floor(pieces / 4)) };
}

/**
 * How to go on after a success with `read` blocks. After pieces more of them, so that a chain of large blocks does not
 * fail at every second one.
 */
export function moreAtHead({ size, pieces }: HeadReading, read: number, mostPieces: number): HeadReading {
  if (pieces === null) return { size: grown(size, read), pieces };
  return { size, pieces: pieces < mostPieces ? pieces * 2 : null };
}
