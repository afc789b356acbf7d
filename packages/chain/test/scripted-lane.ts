import { keccak256, parseTransaction, type Hex } from 'viem';
import { localSigner } from '../src/signers/local-signer.js';
import type { BroadcastResult } from '../src/transactions/broadcast.js';
import { sumInFlight } from '../src/wallet/books.js';
import { WalletLane, type CallRequest } from '../src/wallet/lane.js';
import type { CallEnd, LaneChain, LaneJournal, PendingCall, SignedCall, Verdict } from '../src/wallet/ports.js';

// A lane without nodes and database: the test decides which transactions its chain mines.

export const signer = localSigner(`0x${'11'.repeat(32)}`);
/** The subject of a self-transfer that fills a nonce. */
export const GAP = 'gap';
export const GAS = 100n;
/** The gas price at a base fee of 10. */
export const PRICE = 21n;

/** A chain that mines on the test's command. Its state survives a crash of the lane. */
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

  /** Mines the transactions of the pool with the next nonces. */
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

/** A row of the journal. */
export type Row = Omit<PendingCall, 'transactions'> & {
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

/** Creates a chain and a journal, and lanes on them. */
export function setUp() {
  const clock = { ms: 1_000_000 };
  const chain = new ScriptedChain();
  const journal = new MemoryJournal(() => clock.ms);
  const logged: string[] = [];
  /** Starts a lane without memory, as after a restart. */
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

export const aRequest = (subject: string, value = 0n): CallRequest<string> => {
  return { to: signer.address, data: '0x', value, gas: GAS, deliveries: 1, subject };
};
export const sendAll = async (): Promise<Verdict> => 'send';
/** Returns the ends of the calls. */
export const kinds = (journal: MemoryJournal) => journal.rows.map(({ end }) => end?.kind ?? 'pending');
