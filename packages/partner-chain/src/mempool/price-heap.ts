/** A binary heap: `pop` returns the first item in an order. */
export class PriceHeap<T> {
  private readonly items: T[] = [];

  /** @param compare below zero if the first comes before the second. */
  constructor(private readonly compare: (a: T, b: T) => number) {}

  push(item: T): void {
    let at = this.items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!this.swapIfBefore(at, parent)) return;
      at = parent;
    }
  }

  pop(): T | undefined {
    const [first] = this.items;
    const last = this.items.pop();
    if (last === undefined || this.items.length === 0) return first;
    this.items[0] = last;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      const child = this.goesBefore(right, left) ? right : left;
      if (!this.swapIfBefore(child, at)) return first;
      at = child;
    }
  }

  private goesBefore(a: number, b: number): boolean {
    const [itemA, itemB] = [this.items[a], this.items[b]];
    return itemA !== undefined && itemB !== undefined && this.compare(itemA, itemB) < 0;
  }

  private swapIfBefore(a: number, b: number): boolean {
    const [itemA, itemB] = [this.items[a], this.items[b]];
    if (itemA === undefined || itemB === undefined || this.compare(itemA, itemB) >= 0) return false;
    this.items[a] = itemB;
    this.items[b] = itemA;
    return true;
  }
}
