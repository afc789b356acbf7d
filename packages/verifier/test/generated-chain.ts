import type { Ledger } from '@causeway/verifier';
import { Governance } from './generated/governance.ts';
import { PERIODS, type GeneratedBlock } from './generated/world.ts';

export { GENERATED_SETTINGS, GENESIS, makeRandom, PERIODS, type GeneratedBlock } from './generated/world.ts';

// Honest chains of a bridge, from a seed: every kind of operation in every asset, and every change of trust that the
// contracts allow. The blocks of both chains come in the order of their time, one after the other, so that a chain of a
// million operations needs little memory.

/** Generates the blocks of an honest bridge. */
export class GeneratedBridge extends Governance {
  /** Generates all blocks with logs in the order of their time. Call it once. */
  *blocks(): Generator<GeneratedBlock, void, undefined> {
    const { operations, perSecond = 1 } = this.options;
    for (const side of ['ethereum', 'partner'] as const) this.deploy(side);
    const end = this.time + Math.ceil(operations / perSecond);
    this.plan(end);
    while (this.begun < operations || this.agenda.size > 0 || this.due.ethereum.length + this.due.partner.length > 0) {
      for (const action of this.agenda.get(this.time) ?? []) action();
      this.agenda.delete(this.time);
      for (let chance = perSecond * 2 * this.random(); chance > this.random() && this.begun < operations; chance -= 1)
        this.beginAny();
      for (const side of ['partner', 'ethereum'] as const) yield* this.closeBlock(side);
      this.time += 1;
    }
    for (let tail = 0; tail <= PERIODS.ethereum; tail += 1, this.time += 1)
      for (const side of ['partner', 'ethereum'] as const) yield* this.closeBlock(side);
  }
}

/** The facts that logs do not say: those of a bridge, or changed ones. */
export interface Facts {
  readonly intents: Pick<GeneratedBridge['intents'], 'get'>;
  readonly payers: Pick<GeneratedBridge['payers'], 'get'>;
  readonly refunds: Pick<GeneratedBridge['refunds'], 'get'>;
}

/** Answers what a ledger asks, and what it asks then. */
export function answer(
  ledger: Pick<Ledger, 'takeQuestions' | 'explainIntent' | 'explainPayer' | 'explainRefund'>,
  { intents, payers, refunds }: Facts,
): void {
  for (let questions = ledger.takeQuestions(); questions.length > 0; questions = ledger.takeQuestions())
    for (const question of questions)
      if (question.kind === 'INTENT') ledger.explainIntent(question.id, intents.get(question.id) ?? null);
      else if (question.kind === 'PAYER') ledger.explainPayer(question.id, payers.get(question.transferId) ?? null);
      else ledger.explainRefund(question.id, refunds.get(question.id) ?? null);
}
