import { NodeRefusedError } from '../rpc/chain-error.js';

// How much one step reads. Sizes adapt to the nodes: halved after a failure, grown after a success. Pure.

/** Number of blocks of one request or one step: 1 to `most`. */
export interface ReadingSize {
  readonly blocks: number;
  /** Below this the size doubles after a success. Above it, where requests have failed, it grows by an eighth. */
  readonly threshold: number;
  readonly most: number;
}

/** Returns a size of `blocks` that can grow to `most`. */
export function startingSize(blocks: number, most: number): ReadingSize {
  return { blocks: Math.min(blocks, most), threshold: most, most };
}

/** Logs of a step, which take about 1 kB each in memory. More do not make reading faster. */
const MOST_LOGS = 10_000;

/**
 * Returns the size after a success with `read` blocks. It grows only if the whole size was read, and to as many blocks
 * as have about `MOST_LOGS` logs.
 */
export function grown(size: ReadingSize, read: number, logs = 0): ReadingSize {
  const { blocks, threshold, most } = size;
  const doubled = blocks < threshold ? Math.min(blocks * 2, threshold) : blocks + Math.ceil(blocks / 8);
  const next = read < blocks ? blocks : doubled;
  const dense = Math.max(1, Math.floor((read * MOST_LOGS) / Math.max(logs, 1)));
  return { blocks: Math.min(next, most, dense), threshold, most };
}

/** Returns the size after a failure: `suggested`, the node's limit, if it is lower; else half. */
export function halved({ blocks, most }: ReadingSize, suggested: number | null = null): ReadingSize {
  const half = Math.max(1, Math.floor(blocks / 2));
  const next = suggested === null || suggested < 1 || suggested >= blocks ? half : suggested;
  return { blocks: next, threshold: next, most };
}

/** Wording of nodes and providers before their limit of blocks per request. */
const LIMIT =
  /(?:limit(?:ed)?(?: of| to|:)?|max(?:imum)?(?: range| block range| is set to| allowed| of| number of blocks)?:?|up to a|greater than) ?(\d{1,7})\b/i;
/** Infura and others name a range that they would serve instead. */
const RANGE = /block range:? \[(0x[0-9a-f]+), ?(0x[0-9a-f]+)\]/i;

/** Finds the block limit of a log request in a node's error; null if it names no limit. */
export function suggestedBlocks(error: unknown): number | null {
  if (!(error instanceof NodeRefusedError)) return null;
  const [, first, last] = RANGE.exec(error.reason) ?? [];
  if (first !== undefined && last !== undefined) return Number(BigInt(last) - BigInt(first)) + 1;
  const [, limit] = LIMIT.exec(error.reason) ?? [];
  return limit === undefined ? null : Number(limit);
}

/**
 * How a step at the head reads: several blocks, each in one answer; or one block, with `pieces` transactions or
 * receipts at a time.
 */
export interface HeadReading {
  readonly size: ReadingSize;
  readonly pieces: number | null;
}

/**
 * Shrinks the next step after a failure: fewer blocks, then one block in pieces, down to single ones. After a refusal
 * half may succeed. After a timeout the next step reads one block, because each failure costs a timeout or a pause.
 */
export function lessAtHead({ size, pieces }: HeadReading, hasRefused: boolean, mostPieces: number): HeadReading {
  if (size.blocks > 1) {
    const half = halved(size);
    return { size: hasRefused ? half : { ...half, blocks: 1 }, pieces: null };
  }
  return { size, pieces: pieces === null ? mostPieces : Math.max(1, Math.floor(pieces / 4)) };
}

/**
 * Grows the next step after a success with `read` blocks. A step in pieces grows to more pieces before it grows to
 * whole blocks, so that on a chain of large blocks not every second step fails.
 */
export function moreAtHead({ size, pieces }: HeadReading, read: number, mostPieces: number): HeadReading {
  if (pieces === null) return { size: grown(size, read), pieces };
  return { size, pieces: pieces < mostPieces ? pieces * 2 : null };
}
