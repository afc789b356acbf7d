import type { AttestItem, AttestStage, AttestVerdict } from '@causeway/protocol/attest';
import type { JudgedItem } from '../signing/batch-signer.js';
import type { Side } from '@causeway/verifier';
import type { Hex } from 'viem';
import { isDue, type Due } from './schedule.js';

/** An item as it was shown, and how far its judgement is. */
export interface ShownItem extends JudgedItem {
  readonly stage: AttestStage;
  /** Null while it is judged, and when nothing is to be done. */
  due: Due | null;
  verdict: AttestVerdict | null;
  judged: JudgedItem['judged'];
  /** Whether the exchange has this verdict. */
  isSent: boolean;
}

/** An exchange that shows more items at a time is broken. They are left out. */
export const MOST_ITEMS = 4_096;

/** The items that one exchange shows. */
export class ItemBook {
  private readonly shown = new Map<Hex, ShownItem>();

  get size(): number {
    return this.shown.size;
  }

  /** Whether there was room for it. A later showing takes the place of an earlier one. */
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

  /** The items of a batch that were shown. */
  find(ids: readonly Hex[]): ReadonlyMap<Hex, JudgedItem> {
    const found = ids.flatMap((id) => {
      const shown = this.shown.get(id);
      return shown === undefined ? [] : [[id, shown] as const];
    });
    return new Map(found);
  }

  /** The chains of which a final block is awaited now. */
  awaitedChains(nowMs: number): readonly Side[] {
    const chains = [...this.shown.values()].flatMap(({ due }) =>
      due !== null && 'chain' in due && due.atMs <= nowMs ? [due.chain] : [],
    );
    return [...new Set(chains)];
  }

  /** Takes items whose time has come, the longest due first. */
  takeDue(most: number, nowMs: number, finalBlocks: Readonly<Record<Side, bigint | null>>): readonly ShownItem[] {
    const due = [...this.shown.values()].filter((each) => isDue(each.due, nowMs, finalBlocks));
    const taken = due.toSorted((a, b) => (a.due?.atMs ?? 0) - (b.due?.atMs ?? 0)).slice(0, most);
    for (const each of taken) each.due = null;
    return taken;
  }

  /** Keeps a verdict, unless the item was shown again meanwhile. */
  conclude(judged: ShownItem, verdict: AttestVerdict, due: Due | null): void {
    if (this.shown.get(judged.item.id) !== judged) return;
    const isSame = JSON.stringify(judged.verdict) === JSON.stringify(verdict);
    judged.isSent &&= isSame;
    judged.verdict = verdict;
    judged.due = due;
  }

  /** Keeps the verdict of a batch on one of its items. */
  correct(id: Hex, verdict: AttestVerdict, due: Due): void {
    const shown = this.shown.get(id);
    if (shown !== undefined) this.conclude(shown, verdict, due);
  }

  /** Verdicts that the exchange does not have. */
  unsent(most: number): readonly ShownItem[] {
    return [...this.shown.values()].filter(({ verdict, isSent }) => verdict !== null && !isSent).slice(0, most);
  }
}
