import type { ChainDatabase } from '../storage/chain-database.js';
import { decodeNumber } from '../storage/decode-number.js';
import { encodeNumber } from '../storage/encode-number.js';

/** A log's place as one number that sorts as the chain does. A block has far fewer logs than this. */
const LOGS_PER_BLOCK = 2 ** 20;
/** How many places are read from the database at a time. */
const CHUNK = 128;

export function positionOf(blockNumber: number, logIndex: number): number {
  return blockNumber * LOGS_PER_BLOCK + logIndex;
}

export function placeOfPosition(position: number): { readonly blockNumber: number; readonly logIndex: number } {
  return { blockNumber: Math.floor(position / LOGS_PER_BLOCK), logIndex: position % LOGS_PER_BLOCK };
}

/** Places of logs in rising order, that can be skipped through. */
export interface Postings {
  /** The first place at or after `position`; null when there is none. Positions asked for never fall. */
  seek(position: number): number | null;
}

/** The places of the logs that have one term. */
export class TermPostings implements Postings {
  #chunk: number[] = [];
  #at = 0;
  #isLastChunk = false;

  constructor(
    private readonly database: ChainDatabase,
    private readonly term: Buffer,
    private readonly endPosition: number,
  ) {}

  seek(position: number): number | null {
    while (this.#at < this.#chunk.length && (this.#chunk[this.#at] ?? 0) < position) this.#at += 1;
    if (this.#at < this.#chunk.length) return this.#chunk[this.#at] ?? null;
    if (this.#isLastChunk || position >= this.endPosition) return null;
    this.#read(position);
    return this.#chunk[0] ?? null;
  }

  #read(position: number): void {
    const range = { start: this.#key(position), end: this.#key(this.endPosition), limit: CHUNK };
    const length = this.term.length;
    this.#chunk = [...this.database.postings.getKeys(range)].map((key) =>
      positionOf(decodeNumber(key, length), decodeNumber(key, length + 8)),
    );
    this.#at = 0;
    this.#isLastChunk = this.#chunk.length < CHUNK;
  }

  #key(position: number): Buffer {
    const { blockNumber, logIndex } = placeOfPosition(position);
    return Buffer.concat([this.term, encodeNumber(blockNumber), encodeNumber(logIndex)]);
  }
}

/** The places of the logs that have any of several terms. */
export class AnyPostings implements Postings {
  constructor(private readonly parts: readonly Postings[]) {}

  seek(position: number): number | null {
    let first: number | null = null;
    for (const part of this.parts) {
      const found = part.seek(position);
      if (found !== null && (first === null || found < first)) first = found;
    }
    return first;
  }
}
