import { createHash } from 'node:crypto';

/** Seeded random numbers. Streams of one seed are independent. */
export class Random {
  private count = 0;

  constructor(private readonly seed: string) {}

  /** At least 0, below 1. */
  next(): number {
    this.count += 1;
    return createHash('sha256').update(`${this.seed} ${this.count}`).digest().readUInt32BE() / 2 ** 32;
  }

  /** A whole number, both ends included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(0, values.length - 1)] as T;
  }
}
