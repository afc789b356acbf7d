import { createHash } from 'node:crypto';

/** Random numbers from a seed. Two streams of one seed are independent. */
export class Random {
  private state: number;

  constructor(seed: number, stream: string) {
    this.state = createHash('sha256').update(`${seed} ${stream}`).digest().readInt32LE();
  }

  /** A number from 0 up to but not including 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number in an inclusive range. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isTrue(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.between(0, values.length - 1)];
    if (value === undefined) throw new Error('The list to pick from is empty');
    return value;
  }

  shuffle<T>(values: readonly T[]): T[] {
    const next = this.dealer(values);
    return values.map(() => next());
  }

  /** Deals a deck in random order, and reshuffles it when all cards are dealt. */
  dealer<T>(deck: readonly T[]): () => T {
    let rest: T[] = [];
    return () => {
      if (rest.length === 0) rest = [...deck];
      const [card] = rest.splice(this.between(0, rest.length - 1), 1);
      if (card === undefined) throw new Error('The deck is empty');
      return card;
    };
  }
}
