import { beforeAll, describe, expect, it } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { BadStateError, Ledger } from '../src/index.js';
import { AlteredChain, type Entry } from './altered-chain.js';
import { ALTERATIONS } from './chain-alterations.js';
import { answer, GeneratedBridge } from './generated-chain.js';

const SEED = seed();
/** The nightly run sets 1,000,000. */
const OPERATIONS = Number(process.env['LEDGER_OPERATIONS'] ?? (isLong ? 100_000 : 2_000));
/** The last operations, which are altered. */
const ALTERED = Math.min(5_000, OPERATIONS / 4);
/** Old entries that alterations repeat. */
const EARLY = 2_000;

const bridge = new GeneratedBridge({ seed: SEED, operations: OPERATIONS });
const base = Ledger.begin(bridge.settings);
const early: Entry[] = [];
const tail: Entry[] = [];

beforeAll(() => {
  const cut = OPERATIONS - ALTERED;
  for (const { side, logs } of bridge.blocks()) {
    const entries = logs.map((log): Entry => [side, log]);
    if (bridge.begun < cut) apply(base, entries);
    else tail.push(...entries);
    if (early.length < EARLY) early.push(...entries);
  }
  // A million operations take minutes.
}, 3_600_000);

/** Applies logs, and answers what the ledger asks from the chain's own facts. */
function apply(ledger: Ledger, entries: readonly Entry[]): Ledger {
  for (const [side, log] of entries) ledger.apply(side, log);
  answer(ledger, bridge);
  return ledger;
}

const alter = (seedOfRun: number) => new AlteredChain(tail, early, base, bridge, seedOfRun);
const copy = (state: unknown): unknown => JSON.parse(JSON.stringify(state));

describe(`an honest chain of ${OPERATIONS} operations (seed ${SEED})`, () => {
  it('has no findings, and its sheet closes to the unit', () => {
    const ledger = alter(0).check();
    expect(ledger.findings.slice(0, 20)).toEqual([]);
    expect(ledger.unexplained.slice(0, 20)).toEqual([]);
    for (const { symbol } of bridge.settings.assets) {
      const { locked, surplus, supply, held, inFlight, difference } = ledger.sums(symbol);
      expect({ symbol, difference, inFlight }).toEqual({ symbol, difference: 0n, inFlight: 0n });
      expect(locked - surplus).toBe(supply - held + inFlight);
      expect(locked).toBeGreaterThan(0n);
    }
  });

  it('closes at every place between', () => {
    const ledger = base.fork();
    for (let place = 0; place < tail.length; place += Math.ceil(tail.length / 50)) {
      apply(ledger, tail.slice(place, place + Math.ceil(tail.length / 50)));
      const differences = bridge.settings.assets.map(({ symbol }) => ledger.sums(symbol).difference);
      expect(differences).toEqual(differences.map(() => 0n));
    }
  });
});

describe('an altered chain is named', () => {
  it.each(ALTERATIONS.map((alteration, index) => [alteration.name, alteration, index] as const))(
    '%s',
    (_, { code, alter: change }, index) => {
      const chain = alter(SEED + index);
      change(chain);
      const ledger = chain.check();
      expect([...ledger.findings, ...ledger.unexplained]).toContainEqual(expect.objectContaining({ code }));
    },
  );
});

describe('a fork', () => {
  it('of any place is as the ledger itself, which it leaves unchanged', () => {
    const before = copy(base.toState());
    const places = [0, 0.3, 0.6, 0.9, 1].map((part) => Math.floor(part * tail.length));
    // Forks of forks, each at another place.
    let fork = base.fork();
    for (const [index, place] of places.entries()) fork = apply(fork, tail.slice(places[index - 1] ?? 0, place)).fork();
    const straight = apply(Ledger.resume(bridge.settings, before), tail);
    expect(copy(fork.toState())).toEqual(copy(straight.toState()));
    expect(copy(base.toState())).toEqual(before);
  });
});

describe('a saved ledger', () => {
  it('resumes at any place as if it had never stopped', () => {
    let ledger = base.fork();
    for (let place = 0; place < tail.length; place += Math.ceil(tail.length / 10)) {
      for (const [side, log] of tail.slice(place, place + Math.ceil(tail.length / 10))) ledger.apply(side, log);
      // Stopped before its questions were answered.
      ledger = Ledger.resume(bridge.settings, copy(ledger.toState()));
      answer(ledger, bridge);
    }
    expect(copy(ledger.toState())).toEqual(copy(alter(0).check().toState()));
  });

  const { partner } = bridge.settings;
  type State = Record<string, unknown> & { body: Record<string, unknown> };
  it.each<readonly [string, string, (state: State) => unknown]>([
    ['of another version', 'NEWER', (state) => ({ ...state, version: 2 })],
    ['of another bridge', 'OTHER_BRIDGE', (state) => ({ ...state, bridge: 'another' })],
    ['with another checksum', 'ALTERED', (state) => ({ ...state, checksum: `0x${'00'.repeat(32)}` })],
    ['with an altered sum', 'ALTERED', (state) => ({ ...state, body: { ...state.body, sums: [] } })],
    ['with a finding less', 'ALTERED', (state) => ({ ...state, body: { ...state.body, findings: [null] } })],
    ['with another cursor', 'ALTERED', (state) => ({ ...state, body: { ...state.body, cursors: {} } })],
    ['without books', 'MALFORMED', (state) => ({ ...state, body: null })],
    ['that is a text', 'MALFORMED', () => 'state'],
    ['that is null', 'MALFORMED', () => null],
    ['that is a list', 'MALFORMED', () => []],
  ])('does not resume from a state %s', (_, reason, change) => {
    const state = change(copy(base.toState()) as State);
    expect(() => Ledger.resume(bridge.settings, state)).toThrow(
      expect.objectContaining({ name: 'BadStateError', reason }),
    );
  });

  it('does not resume for another contract', () => {
    const settings = { ...bridge.settings, partner: { ...partner, contract: partner.timelock ?? '0x' } };
    expect(() => Ledger.resume(settings, copy(base.toState()))).toThrow(BadStateError);
  });
});
