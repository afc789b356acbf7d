import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keccak256, parseTransaction, type Hex } from 'viem';
import { localSigner } from '../signers/local-signer.js';
import type { BroadcastResult } from '../transactions/broadcast.js';
import { sumInFlight } from './books.js';
import { WalletLane, type CallRequest } from './lane.js';
import type { CallEnd, LaneChain, LaneJournal, PendingCall, SignedCall, Verdict } from './ports.js';

const signer = localSigner(`0x${'11'.repeat(32)}`);
const GAP = 'gap';
const GAS = 100n;
const PRICE = 21n;

/** A chain that mines what the test says. Its state survives a crash of the lane. */
class ScriptedChain implements LaneChain {
  readonly chainId = 1;
  block = 100n;
  balance = 1_000_000n;
  basePrice = 10n;
  /** Mined transactions in the order of their nonces. */
  mined: { readonly hash: Hex; readonly block: bigint }[] = [];
  readonly pool = new Map<bigint, Hex>();
  readonly sent: Hex[] = [];
  answer: (raw: Hex) => BroadcastResult = () => ({ kind: 'accepted' });

  head = async () => this.block;
  nonceAt = async (block: bigint) => BigInt(this.mined.filter((each) => each.block <= block).length);
  balanceAt = async () => this.balance;
  market = async () => ({ baseFeePerGas: this.basePrice, priorityFeePerGas: 1n });
  receipt = async (hash: Hex) => {
    const found = this.mined.find((each) => each.hash === hash);
    if (found === undefined) return null;
    return { hash, status: 'success', block: { number: found.block, hash: '0xb' }, feePaid: 1n, logs: [] } as const;
  };
  broadcast = async (raw: Hex) => {
    this.sent.push(raw);
    const result = this.answer(raw);
    if (result.kind === 'accepted') this.pool.set(BigInt(parseTransaction(raw).nonce ?? 0), raw);
    return result;
  };

  /** Mines every transaction of the pool that is next. */
  mine(blocks = 1n): void {
    this.block += blocks;
    for (;;) {
      const nonce = BigInt(this.mined.length);
      const raw = this.pool.get(nonce);
      if (raw === undefined) return;
      this.pool.delete(nonce);
      this.mined.push({ hash: keccak256(raw), block: this.block });
    }
  }
}

type Row = Omit<PendingCall, 'transactions'> & {
  readonly subject: string;
  transactions: PendingCall['transactions'];
  isCancelled: boolean;
  end: CallEnd | null;
};

/** A journal in memory. Its rows survive a crash of the lane. */
class MemoryJournal implements LaneJournal<string, Row> {
  readonly gap = GAP;
  rows: Row[] = [];
  notes: string[] = [];

  constructor(private readonly now: () => number) {}

  assertHeld = () => undefined;
  pending = async () => this.rows.filter(({ end }) => end === null);
  nextNonce = async () => this.rows.reduce((next, { nonce }) => (nonce >= next ? nonce + 1n : next), 0n);
  inFlight = async (from: bigint) => sumInFlight(this.rows.filter(({ nonce }) => nonce >= from));
  feesPaidSince = async () => 0n;
  record = async (calls: readonly SignedCall<string>[]) => {
    const ended = calls.filter(({ subject }) => subject !== GAP && this.rows.some((row) => row.subject === subject));
    if (ended.length > 0) return { kind: 'ended', subjects: ended.map(({ subject }) => subject) } as const;
    if (calls.some(({ nonce }) => this.rows.some((row) => row.nonce === nonce))) return { kind: 'nonce-used' } as const;
    for (const { transaction, ...call } of calls) {
      const version = { ...transaction, isCancellation: call.subject === GAP, createdAt: new Date(this.now()) };
      const state = { isCancelled: false, deliveries: 1, end: null, transactions: [version] };
      this.rows.push({ id: call.nonce, ...call, ...state });
      this.rows.sort((a, b) => Number(a.nonce - b.nonce));
    }
    return { kind: 'recorded' } as const;
  };
  replace = async (call: Row, signed: SignedCall<string>['transaction'], isCancellation: boolean) => {
    call.transactions = [...call.transactions, { ...signed, isCancellation, createdAt: new Date(this.now()) }];
    return true;
  };
  cancel = async (call: Row) => {
    call.isCancelled = true;
    return true;
  };
  reopenLost = async (chainNonce: bigint) => {
    const lost = this.rows.filter(({ nonce, end }) => nonce >= chainNonce && end !== null);
    for (const row of lost) row.end = null;
    return lost.length;
  };
  conclude = async (call: Row, end: CallEnd) => {
    call.end = end;
    return true;
  };
  noteBroadcast = async (call: Row, _hash: Hex, { kind }: BroadcastResult) => {
    this.notes.push(`${call.nonce} ${kind}`);
  };
}

function setUp() {
  const clock = { ms: 1_000_000 };
  const chain = new ScriptedChain();
  const journal = new MemoryJournal(() => clock.ms);
  const logged: string[] = [];
  /** A lane without memory, as after a restart. */
  const start = () =>
    new WalletLane<string, Row>({
      chain,
      signer,
      now: () => clock.ms,
      limits: { gasReserve: 1_000n, maxFeePerGas: 1_000n, maxFeePerDelivery: 1_000_000n, maxDailyFees: 10_000_000n },
      replaceAfterMs: 60_000,
      confirmations: 3,
      log: (message) => logged.push(message),
    });
  return { clock, chain, journal, start, lane: start(), logged };
}

const aRequest = (subject: string, value = 0n): CallRequest<string> => {
  return { to: signer.address, data: '0x', value, gas: GAS, deliveries: 1, subject };
};
const sendAll = async (): Promise<Verdict> => 'send';
const kinds = (journal: MemoryJournal) => journal.rows.map(({ end }) => end?.kind ?? 'pending');

describe('submit', () => {
  it('gives no nonce to a call that cannot be paid, and sends the others', async () => {
    const { lane, journal, chain } = setUp();
    chain.balance = 1_000n + 500n + 2n * GAS * PRICE;
    const submissions = await lane.submit(journal, [aRequest('a'), aRequest('b', 10_000n), aRequest('c', 500n)]);
    expect(submissions).toMatchObject([
      { kind: 'sent', nonce: 0n },
      { kind: 'rejected', reason: 'balance-short' },
      { kind: 'sent', nonce: 1n },
    ]);
    expect(chain.sent).toHaveLength(2);
    // The value in flight is not spent again.
    expect(await lane.submit(journal, [aRequest('d', 500n)])).toMatchObject([{ kind: 'rejected' }]);
  });

  it('counts a call that ends after the wallet was read', async () => {
    const { lane, journal, chain } = setUp();
    chain.balance = 1_000n + 500n + 2n * GAS * PRICE;
    await lane.submit(journal, [aRequest('a', 500n)]);
    const { inFlight } = journal;
    journal.inFlight = async (from) => {
      for (const row of journal.rows) row.end = { kind: 'taken' };
      return inFlight(from);
    };
    // The balance that was read still has the 500.
    expect(await lane.submit(journal, [aRequest('b', 500n)])).toMatchObject([{ kind: 'rejected' }]);
  });

  it('rejects everything while the market is above the cap', async () => {
    const { lane, journal, chain } = setUp();
    chain.basePrice = 2_000n;
    expect(await lane.submit(journal, [aRequest('a')])).toEqual([{ kind: 'rejected', reason: 'fee-per-gas' }]);
    expect(journal.rows).toEqual([]);
  });

  it('leaves out what does not wait any more, and signs the rest again without a hole', async () => {
    const { lane, journal } = setUp();
    await lane.submit(journal, [aRequest('a')]);
    const submissions = await lane.submit(journal, [aRequest('a'), aRequest('b'), aRequest('c')]);
    expect(submissions).toMatchObject([{ kind: 'obsolete' }, { nonce: 1n }, { nonce: 2n }]);
  });

  it('reserves nonces once for groups that come at the same time', async () => {
    const { lane, journal } = setUp();
    const groups = await Promise.all(
      ['a', 'b', 'c'].map((name) => lane.submit(journal, [aRequest(name), aRequest(`${name}2`)])),
    );
    expect(groups.flat().map((each) => each.kind === 'sent' && each.nonce)).toEqual([0n, 1n, 2n, 3n, 4n, 5n]);
  });
});

describe('follow', () => {
  it('replaces nothing for an hour of a quiet market, whatever waits', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(
      journal,
      ['a', 'b', 'c'].map((name) => aRequest(name)),
    );
    for (let minute = 0; minute < 60; minute++) {
      clock.ms += 60_000;
      await lane.follow(journal, sendAll);
    }
    expect(journal.rows.map(({ transactions }) => transactions.length)).toEqual([1, 1, 1]);
    expect(chain.sent.length).toBeGreaterThan(100);
  });

  it('replaces the lowest nonce only, once the market has risen above it', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(
      journal,
      ['a', 'b', 'c'].map((name) => aRequest(name)),
    );
    clock.ms += 60_000;
    chain.basePrice = 100n;
    await lane.follow(journal, sendAll);
    expect(journal.rows.map(({ transactions }) => transactions.length)).toEqual([2, 1, 1]);
    clock.ms += 10_000;
    await lane.follow(journal, sendAll);
    expect(journal.rows.map(({ transactions }) => transactions.length)).toEqual([2, 1, 1]);
  });

  it('ends calls when they are final, not before', async () => {
    const { lane, journal, chain } = setUp();
    await lane.submit(journal, [aRequest('a')]);
    chain.mine();
    await lane.follow(journal, sendAll);
    expect(kinds(journal)).toEqual(['pending']);
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    expect(kinds(journal)).toEqual(['succeeded']);
  });

  it('sends what a reorg removed again, before anything new is mined', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    chain.mine();
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    const [, lost] = chain.mined;
    chain.mined.pop();
    await lane.submit(journal, [aRequest('c')]);
    clock.ms += 30_000;
    await lane.follow(journal, sendAll);
    await lane.follow(journal, sendAll);
    chain.mine();
    expect(chain.mined.map(({ hash }) => hash)).toContain(lost?.hash);
    expect(chain.mined).toHaveLength(3);
  });

  it('reads no wallet again while nothing is in flight and no block comes', async () => {
    const { lane, journal, chain } = setUp();
    let reads = 0;
    chain.balanceAt = async () => BigInt((reads += 1));
    for (let turn = 0; turn < 5; turn++) await lane.follow(journal, sendAll);
    expect(reads).toBe(1);
    chain.mine();
    for (let turn = 0; turn < 5; turn++) await lane.follow(journal, sendAll);
    expect(reads).toBe(2);
  });

  it('logs a gap that waits for the chain once, and then once a minute', async () => {
    const { lane, journal, chain, clock, logged } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    chain.mine();
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    // A reorg: the chain is below the block of the second call, which so stays ended.
    chain.mined.pop();
    chain.block -= 2n;
    journal.reopenLost = async () => 0;
    const ofGap = () => logged.filter((message) => message.includes('misses nonces'));
    for (let turn = 0; turn < 20; turn++, clock.ms += 250) await lane.follow(journal, sendAll);
    expect(ofGap()).toHaveLength(1);
    clock.ms += 60_000;
    for (let turn = 0; turn < 20; turn++, clock.ms += 250) await lane.follow(journal, sendAll);
    expect(ofGap()).toHaveLength(2);
    expect(kinds(journal)).toEqual(['succeeded', 'succeeded']);
  });

  it('fills a nonce that neither the chain nor the journal has', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    // As if the row of the first call was lost with a restored backup, and no node has its transaction.
    journal.rows.shift();
    chain.pool.delete(0n);
    clock.ms += 30_000;
    await lane.follow(journal, sendAll);
    expect(journal.rows[0]).toMatchObject({ nonce: 0n, subject: GAP, value: 0n, to: signer.address });
    chain.mine();
    expect(chain.mined).toHaveLength(2);
  });

  it('sends the others while a gap cannot be filled, since the market is above the cap', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a'), aRequest('b')]);
    journal.rows.shift();
    chain.basePrice = 2_000n;
    clock.ms += 30_000;
    chain.sent.length = 0;
    expect(await lane.follow(journal, sendAll)).toBe(false);
    expect(chain.sent).toHaveLength(1);
  });

  it('ends a call whose nonce was used outside the journal', async () => {
    const { lane, journal, chain } = setUp();
    await lane.submit(journal, [aRequest('a')]);
    chain.mined.push({ hash: '0xforeign', block: 101n });
    chain.block = 103n;
    await lane.follow(journal, sendAll);
    expect(journal.rows[0]?.end).toEqual({ kind: 'taken' });
  });

  it('cancels a withheld call that holds up another one for a minute, and pays nothing for its nonce', async () => {
    const { lane, journal, chain, clock } = setUp();
    chain.answer = () => ({ kind: 'unreachable', reason: 'a test' });
    await lane.submit(journal, [aRequest('gone', 7n), aRequest('b')]);
    chain.answer = () => ({ kind: 'accepted' });
    const judge = async ({ subject }: Row): Promise<Verdict> => (subject === 'gone' ? 'withhold' : 'send');
    for (let step = 0; step < 20; step++) {
      clock.ms += 5_000;
      await lane.follow(journal, async (call) => (call.isCancelled ? 'send' : judge(call)));
    }
    chain.mine();
    expect(chain.mined).toHaveLength(2);
    expect(journal.rows[0]?.transactions.at(-1)).toMatchObject({ isCancellation: true });
    chain.mine(2n);
    await lane.follow(journal, sendAll);
    expect(kinds(journal)).toEqual(['cancelled', 'succeeded']);
  });

  it('cancels a call with value that the wallet cannot pay any more', async () => {
    const { lane, journal, chain, clock } = setUp();
    await lane.submit(journal, [aRequest('a', 500_000n)]);
    chain.balance = 400_000n;
    clock.ms += 5_000;
    await lane.follow(journal, sendAll);
    expect(journal.rows[0]?.isCancelled).toBe(true);
  });

  it('reports a transaction that no node takes, and that one takes it later', async () => {
    const { lane, journal, chain, clock } = setUp();
    chain.answer = () => ({ kind: 'insufficient-funds' });
    await lane.submit(journal, [aRequest('a')]);
    for (const kind of ['insufficient-funds', 'insufficient-funds', 'accepted', 'accepted'] as const) {
      chain.answer = () => ({ kind });
      clock.ms += 5_000;
      await lane.follow(journal, sendAll);
    }
    expect(journal.notes).toEqual(['0 insufficient-funds', '0 accepted']);
  });
});

describe('a crash between any two steps', () => {
  /** Ends the process at the n-th call of a port. */
  class Crash extends Error {}

  function crashing<T extends object>(port: T, budget: { left: number }): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const call = (...args: unknown[]) => {
          if (budget.left-- <= 0) throw new Crash();
          return (value as (...given: unknown[]) => unknown).apply(target, args);
        };
        return name === 'assertHeld' ? call : async (...args: unknown[]) => call(...args);
      },
    });
  }

  it('loses no call, sends none twice, and leaves no gap', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(25), { maxLength: 4 }), fc.nat(2), async (crashes, unpaid) => {
        const { chain, journal, clock, start } = setUp();
        const names = ['a', 'b', 'c'];
        const wanted = () => names.filter((name) => !journal.rows.some(({ subject }) => subject === name));
        const turn = async (budget: { left: number }) => {
          const lane = start();
          const port = crashing(journal, budget);
          await lane.submit(
            port,
            wanted().map((name, index) => aRequest(name, index === unpaid ? 10n : 0n)),
          );
          await lane.follow(port, sendAll);
        };
        for (const left of crashes) {
          await turn({ left }).catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error;
          });
          clock.ms += 5_000;
        }
        for (let step = 0; step < 6; step++) {
          clock.ms += 31_000;
          await turn({ left: Infinity });
          chain.mine(2n);
        }
        expect(journal.rows.map(({ subject }) => subject).toSorted()).toEqual(names);
        expect(kinds(journal)).toEqual(['succeeded', 'succeeded', 'succeeded']);
        expect(chain.mined).toHaveLength(3);
        expect(new Set(chain.sent).size).toBe(3);
      }),
      { numRuns: 60 },
    );
  });
});
