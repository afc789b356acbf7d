import { checkState, Ledger, readHead, readLedger, type StateCheck, type Verifier } from '../src/index.js';

/** The books of both chains up to their heads, and their comparison with the state there. */
export async function readBooks(
  verifier: Verifier,
  ledger = Ledger.begin(verifier.settings),
): Promise<{ readonly ledger: Ledger; readonly state: StateCheck }> {
  const [ethereum, partner] = [await readHead(verifier, 'ethereum'), await readHead(verifier, 'partner')];
  await readLedger(ledger, verifier, { ethereum, partner });
  return { ledger, state: await checkState(ledger, verifier, { ethereum, partner }) };
}

/** Contradictions, sheets that do not close to the unit, and state that is not proven although it could be. */
export async function findProblems(verifier: Verifier): Promise<readonly unknown[]> {
  const { ledger, state } = await readBooks(verifier);
  return [
    ...ledger.findings,
    ...ledger.unexplained,
    ...state.findings,
    ...state.sheet.filter(({ sums, surplus }) => sums.difference !== 0n || surplus !== 0n),
    ...state.evidence.filter(({ by, isProvable }) => by === 'QUORUM' && isProvable),
  ];
}
