import { createHash } from 'node:crypto';

/** Random numbers of a seed. Two streams of one seed do not influence each other. */
export class Random {
  private state: number;

  constructor(seed: number, stream: string) {
    this.state = createHash('sha256').update(`${seed} ${stream}`).digest().readInt32LE();
  }

  /** From 0 to 1, without 1 (mulberry32). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  isTrue(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.between(0, values.length - 1)];
    if (value === undefined) throw new Error('There is nothing to pick from');
    return value;
  }

  /** The values in a random order. */
  shuffle<T>(values: readonly T[]): T[] {
    const next = this.dealer(values);
    return values.map(() => next());
  }

  /** Deals the cards of a deck in random order, and shuffles it again when all are dealt. */
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
