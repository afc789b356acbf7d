import { describe, expect, it } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { Ledger } from '../src/index.js';
import { GeneratedBridge } from './generated-chain.js';

const SEED = seed();
const OPERATIONS = Number(process.env['LEDGER_OPERATIONS'] ?? (isLong ? 100_000 : 2_000));

/** Answers what a ledger asks, from the chain's own facts. */
function answer(ledger: Ledger, bridge: GeneratedBridge): void {
  for (let questions = ledger.takeQuestions(); questions.length > 0; questions = ledger.takeQuestions())
    for (const question of questions)
      if (question.kind === 'INTENT') ledger.explainIntent(question.id, bridge.intents.get(question.id) ?? null);
      else if (question.kind === 'PAYER')
        ledger.explainPayer(question.id, bridge.payers.get(question.transferId) ?? null);
      else ledger.explainRefund(question.id, bridge.refunds.get(question.id) ?? null);
}

describe(`an honest chain of ${OPERATIONS} operations (seed ${SEED})`, () => {
  it('has no findings, and its sheet closes to the unit', () => {
    const bridge = new GeneratedBridge({ seed: SEED, operations: OPERATIONS });
    const ledger = Ledger.begin(bridge.settings);
    for (const { side, logs } of bridge.blocks()) {
      for (const log of logs) ledger.apply(side, log);
      answer(ledger, bridge);
    }
    expect(ledger.findings.slice(0, 20)).toEqual([]);
    expect(ledger.unexplained.slice(0, 20)).toEqual([]);
    for (const { symbol } of bridge.settings.assets) {
      const { locked, surplus, supply, held, inFlight, difference } = ledger.sums(symbol);
      expect({ symbol, difference, inFlight }).toEqual({ symbol, difference: 0n, inFlight: 0n });
      expect(locked - surplus).toBe(supply - held + inFlight);
      expect(locked).toBeGreaterThan(0n);
    }
  });
});
