import type { AttestItem, AttestStage, AttestVerdict } from '@causeway/protocol/attest';
import type { JudgedItem } from '../signing/batch-signer.js';
import type { Side } from '@causeway/verifier';
import type { Hex } from 'viem';
import { isDue, type Due } from './schedule.js';

/** An item as shown by an exchange, with its judgement. */
export interface ShownItem extends JudgedItem {
  readonly stage: AttestStage;
  /** Null while it is judged, and when no judgement is due. */
  due: Due | null;
  verdict: AttestVerdict | null;
  judged: JudgedItem['judged'];
  /** Whether the exchange has received this verdict. */
  isSent: boolean;
}

/** Only a faulty exchange shows more items at a time. Further items are ignored. */
export const MOST_ITEMS = 4_096;

/** The items shown by one exchange. */
export class ItemBook {
  private readonly shown = new Map<Hex, ShownItem>();

  get size(): number {
    return this.shown.size;
  }

  /** Adds or replaces an item. Returns false if the book is full. */
  show(item: AttestItem, stage: AttestStage, nowMs: number): boolean {
    if (this.shown.size >= MOST_ITEMS && !this.shown.has(item.id)) return false;
    this.shown.set(item.id, { item, stage, due: { atMs: nowMs }, verdict: null, judged: null, isSent: false });
    return true;
  }

  forget(ids: readonly Hex[]): void {
    for (const id of ids) this.shown.delete(id);
  }

  clear(): void {
    this.shown.clear();
  }

  /** The shown items of a batch. */
  find(ids: readonly Hex[]): ReadonlyMap<Hex, JudgedItem> {
    const found = ids.flatMap((id) => {
      const shown = this.shown.get(id);
      return shown === undefined ? [] : [[id, shown] as const];
    });
    return new Map(found);
  }

  /** The chains on which items wait for a final block. */
  awaitedChains(nowMs: number): readonly Side[] {
    const chains = [...this.shown.values()].flatMap(({ due }) =>
      due !== null && 'chain' in due && due.atMs <= nowMs ? [due.chain] : [],
    );
    return [...new Set(chains)];
  }

  /** Takes due items, the longest due first. */
  takeDue(most: number, nowMs: number, finalBlocks: Readonly<Record<Side, bigint | null>>): readonly ShownItem[] {
    const due = [...this.shown.values()].filter((each) => isDue(each.due, nowMs, finalBlocks));
    const taken = due.toSorted((a, b) => (a.due?.atMs ?? 0) - (b.due?.atMs ?? 0)).slice(0, most);
    for (const each of taken) each.due = null;
    return taken;
  }

  /** Stores a verdict, unless the item was shown again in the meantime. */
  conclude(judged: ShownItem, verdict: AttestVerdict, due: Due | null): void {
    if (this.shown.get(judged.item.id) !== judged) return;
    const isSame = JSON.stringify(judged.verdict) === JSON.stringify(verdict);
    judged.isSent &&= isSame;
    judged.verdict = verdict;
    judged.due = due;
  }

  /** Stores a batch's verdict on one of its items. */
  correct(id: Hex, verdict: AttestVerdict, due: Due): void {
    const shown = this.shown.get(id);
    if (shown !== undefined) this.conclude(shown, verdict, due);
  }

  /** Items whose verdict the exchange has not received. */
  unsent(most: number): readonly ShownItem[] {
    return [...this.shown.values()].filter(({ verdict, isSent }) => verdict !== null && !isSent).slice(0, most);
  }
}
