import { decodeNumber, placeKey } from '../db/keys.js';
import type { ChainDatabase } from '../db/tables.js';
import type { Log } from './log.js';

/** Part of a log that a term is: the address, or a topic by position. */
type TermKind = 'address' | 0 | 1 | 2 | 3;

/** Upper bound of a block's logs, which turns a log's place into one number in chain order. */
const LOGS_PER_BLOCK = 2 ** 20;
/** Positions per database read. */
const CHUNK = 128;

/**
 * Returns the key of a term in the log index: a byte for the kind, then the address or topic. Block number and log
 * index follow.
 */
export function termKey(kind: TermKind, value: Uint8Array): Buffer {
  return Buffer.concat([Uint8Array.of(kind === 'address' ? 0 : kind + 1), value]);
}

/** Lists all terms by which a log can be found. */
export function listTerms(log: Log): Buffer[] {
  return [
    termKey('address', log.address),
    ...log.topics.map((topic, position) => termKey(position as 0 | 1 | 2 | 3, topic)),
  ];
}

/** Encodes a log's place as one number. */
export function encodePosition(blockNumber: number, logIndex: number): number {
  return blockNumber * LOGS_PER_BLOCK + logIndex;
}

/** Inverse of `encodePosition`. */
export function decodePosition(position: number): { readonly blockNumber: number; readonly logIndex: number } {
  return { blockNumber: Math.floor(position / LOGS_PER_BLOCK), logIndex: position % LOGS_PER_BLOCK };
}

/** A posting list: positions of logs in ascending order, with skipping. */
export interface PostingList {
  /** Returns the first position at or after `position`, or null. `position` must not decrease between calls. */
  seek(position: number): number | null;
}

/** The positions of the logs that have one term. */
export class TermPostings implements PostingList {
  private chunk: number[] = [];
  private at = 0;
  private isLastChunk = false;

  constructor(
    private readonly database: ChainDatabase,
    private readonly term: Buffer,
    private readonly endPosition: number,
  ) {}

  seek(position: number): number | null {
    while (this.at < this.chunk.length && (this.chunk[this.at] ?? 0) < position) this.at += 1;
    if (this.at < this.chunk.length) return this.chunk[this.at] ?? null;
    if (this.isLastChunk || position >= this.endPosition) return null;
    this.read(position);
    return this.chunk[0] ?? null;
  }

  private read(position: number): void {
    const range = { start: this.key(position), end: this.key(this.endPosition), limit: CHUNK };
    const length = this.term.length;
    this.chunk = [...this.database.logIndex.getKeys(range)].map((key) =>
      encodePosition(decodeNumber(key, length), decodeNumber(key, length + 8)),
    );
    this.at = 0;
    this.isLastChunk = this.chunk.length < CHUNK;
  }

  private key(position: number): Buffer {
    const { blockNumber, logIndex } = decodePosition(position);
    return Buffer.concat([this.term, placeKey(blockNumber, logIndex)]);
  }
}

/** The positions of the logs that have any of several terms. */
export class AnyPostings implements PostingList {
  constructor(private readonly parts: readonly PostingList[]) {}

  seek(position: number): number | null {
    let first: number | null = null;
    for (const part of this.parts) {
      const found = part.seek(position);
      if (found !== null && (first === null || found < first)) first = found;
    }
    return first;
  }
}
