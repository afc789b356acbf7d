import type { BroadcastResult } from '../transactions/broadcast.js';
import { signTransaction, type Fees } from '../transactions/sign-transaction.js';
import {
  admit,
  computeBooks,
  sumInFlight,
  spendable,
  getFeesStart,
  type LaneView,
  type Rejection,
  type WalletState,
} from './books.js';
import { feesWithin, type FeeMarket } from './fees.js';
import { broadcastInOrder, CallFollower, type LaneMemory, type LaneOptions } from './follow-calls.js';
import type { Call, LaneJournal, PendingCall, SignedCall, Verdict } from './ports.js';
import { Recent } from './recent.js';
import type { Hex } from 'viem';

/** Maximum signing attempts for calls whose nonces or number change. */
const MAX_SIGNATURES = 4;
/** Maximum age of the cached wallet state and fee market. */
const RECENT_MS = 500;

/** A call that a stage submits. */
export interface CallRequest<S> extends Call {
  /** The gas limit. Unused gas costs nothing. */
  readonly gas: bigint;
  /** Number of deliveries it carries, each with its own fee cap. 1 for everything else. */
  readonly deliveries: number;
  /** The value came to the wallet for this call, so the gas reserve does not apply. */
  readonly isPassedOn?: boolean;
  readonly subject: S;
}

/** The result of a request. Only `sent` uses a nonce. */
export type Submission =
  | { readonly kind: 'sent'; readonly hash: Hex; readonly nonce: bigint; readonly result: BroadcastResult }
  | { readonly kind: 'rejected'; readonly reason: Rejection | 'fee-per-gas' }
  /** Not stored: a chain is halted, or the subject of the call is not pending. */
  | { readonly kind: 'obsolete' };

/**
 * Sends every transaction of a wallet on a chain: admit, reserve a nonce, sign, journal, broadcast, and follow until it
 * is final. One lane per wallet and chain exists, in the process that holds the lease.
 *
 * Its only state is its memory of broadcasts; nonces and balances come from the chain and the journal in every run.
 */
export class WalletLane<S, C extends PendingCall> {
  private readonly memory: LaneMemory = {
    sentAt: new Map(),
    failed: new Set(),
    withheldSince: new Map(),
    finalAt: new Map(),
  };
  private readonly follower: CallFollower<S, C>;
  /** Completion of the last reservation of nonces; `sending`: of the last broadcast. */
  private reserving: Promise<unknown> = Promise.resolve();
  private sending: Promise<unknown> = Promise.resolve();
  /** The journal has all later calls of the wallet, so a cached state never allows more spending. */
  private readonly wallet: Recent<WalletState>;
  private readonly market: Recent<FeeMarket>;
  /** Last head at which no call was pending and no nonce was missing; null if that is unknown. */
  private idleAt: bigint | null = null;

  constructor(private readonly options: LaneOptions) {
    const { chain, now } = options;
    this.wallet = new Recent(() => this.readWallet(), RECENT_MS, now);
    this.market = new Recent(() => chain.market(), RECENT_MS, now);
    this.follower = new CallFollower(options, this.memory, (journal, filler) => this.fillGap(journal, filler));
  }

  /** Reads the calls in flight and the spendable balance at the same recent block, before a `submit`. */
  async look(journal: LaneJournal<S, C>): Promise<LaneView<C>> {
    // Prefetched for `submit`, which reads it again if this fails.
    this.market.get().catch(() => undefined);
    return this.view(journal, () => this.wallet.get());
  }

  private async view(journal: LaneJournal<S, C>, readWallet: () => Promise<WalletState>): Promise<LaneView<C>> {
    const { now, limits } = this.options;
    // In this order, so that every nonce below `nextNonce` belongs to a pending or ended call.
    const nextNonce = await journal.nextNonce();
    const pending = await journal.pending();
    const [wallet, feesPaid] = await Promise.all([readWallet(), journal.feesPaidSince(getFeesStart(now()))]);
    const { chainNonce, balance } = wallet;
    const [mined, unmined] = [
      pending.filter(({ nonce }) => nonce < chainNonce),
      pending.filter(({ nonce }) => nonce >= chainNonce),
    ];
    const books = computeBooks(balance, sumInFlight(unmined), feesPaid);
    return { ...wallet, nextNonce, mined, unmined, books, spendable: spendable(books, limits) };
  }

  /**
   * Sends calls in the given order. A call beyond the balance or the fee caps uses no nonce and blocks no other call.
   *
   * @returns the result of each request, in their order.
   */
  async submit(journal: LaneJournal<S, C>, requests: readonly CallRequest<S>[]): Promise<Submission[]> {
    if (requests.length === 0) return [];
    // Read while earlier steps sign and journal, because a node answers slowly while it accepts their transactions.
    const read = Promise.all([this.wallet.get(), this.market.get()]);
    read.catch(() => undefined);
    const reserved = this.reserving.then(async () => this.reserve(journal, requests, await read));
    this.reserving = reserved.catch(() => undefined);
    const { signed, submissions } = await reserved;
    // In the order of nonces, also across batches: some nodes refuse a nonce if they lack its predecessor.
    const sent = this.sending.then(() => this.broadcast(journal, signed));
    this.sending = sent.catch(() => undefined);
    const results = await sent;
    return submissions.map((submission, index) => {
      if (submission !== null) return submission;
      const place = signed.findIndex(({ subject }) => subject === requests[index]?.subject);
      const [call, result] = [signed[place], results[place]];
      if (call === undefined || result === undefined) return { kind: 'obsolete' };
      return { kind: 'sent', hash: call.transaction.hash, nonce: call.nonce, result };
    });
  }

  /**
   * Follows every pending call until the use of its nonce is final.
   *
   * @param judge decides before every broadcast, because a journalled transaction may be sent long after its signature.
   * @returns whether it wrote anything.
   */
  async follow(journal: LaneJournal<S, C>, judge: (call: C) => Promise<Verdict>): Promise<boolean> {
    // Without a pending call or a gap, only a new block can require work.
    if (this.idleAt !== null && this.idleAt === (await this.options.chain.head()))
      if ((await journal.pending()).length === 0) return false;
    const view = await this.view(journal, () => this.wallet.renew());
    const hasWritten = await this.follower.run(journal, view, judge);
    const { nextNonce, chainNonce, mined, unmined, head } = view;
    const isIdle = !hasWritten && nextNonce <= chainNonce && mined.length + unmined.length === 0;
    this.idleAt = isIdle ? head : null;
    return hasWritten;
  }

  /** Reads the nonce and balance of the wallet at one block. */
  private async readWallet(): Promise<WalletState> {
    const { chain } = this.options;
    const head = await chain.head();
    const [chainNonce, balance] = await Promise.all([chain.nonceAt(head), chain.balanceAt(head)]);
    return { head, chainNonce, balance };
  }

  /** Admits, signs and journals. `null` in `submissions` stands for a signed call. */
  private async reserve(
    journal: LaneJournal<S, C>,
    requests: readonly CallRequest<S>[],
    [{ chainNonce, balance }, market]: readonly [WalletState, FeeMarket],
  ) {
    const { limits, now } = this.options;
    // Reads sums instead of the pending calls, which may be hundreds.
    const [inFlight, feesPaid] = await Promise.all([
      journal.inFlight(chainNonce),
      journal.feesPaidSince(getFeesStart(now())),
    ]);
    const submissions: (Submission | null)[] = [];
    const fees = feesWithin(market, limits.maxFeePerGas);
    let books = computeBooks(balance, inFlight, feesPaid);
    let admitted: { readonly request: CallRequest<S>; readonly fees: Fees }[] = [];
    for (const request of requests) {
      const result = fees === null ? 'fee-per-gas' : admit(books, { ...request, fees }, limits);
      if (typeof result === 'string') {
        submissions.push({ kind: 'rejected', reason: result });
        continue;
      }
      books = result;
      if (fees !== null) admitted.push({ request, fees });
      submissions.push(null);
    }
    for (let attempt = 0; attempt < MAX_SIGNATURES && admitted.length > 0; attempt++) {
      const next = await journal.nextNonce();
      const first = next > chainNonce ? next : chainNonce;
      const signed = await Promise.all(
        admitted.map(({ request, fees: offered }, index) => this.sign(request, offered, first + BigInt(index))),
      );
      const recorded = await journal.record(signed);
      if (recorded.kind === 'recorded') {
        // So the follower leaves the broadcast to this step.
        for (const { nonce } of signed) this.memory.sentAt.set(nonce, this.options.now());
        return { signed, submissions };
      }
      if (recorded.kind === 'halted') break;
      if (recorded.kind === 'ended')
        admitted = admitted.filter(({ request }) => !recorded.subjects.includes(request.subject));
    }
    return { signed: [], submissions };
  }

  private async sign(request: CallRequest<S>, fees: Fees, nonce: bigint): Promise<SignedCall<S>> {
    const { signer, chain } = this.options;
    const { to, data, value, gas, subject } = request;
    const transaction = await signTransaction(signer, chain.chainId, { to, data, value }, { ...fees, nonce, gas });
    return { to, data, value, nonce, subject, transaction };
  }

  private async broadcast(journal: LaneJournal<S, C>, signed: readonly SignedCall<S>[]): Promise<BroadcastResult[]> {
    const results = await broadcastInOrder(
      this.options.chain,
      journal,
      signed.map(({ transaction }) => transaction),
    );
    // The follower rebroadcasts and reports calls that no node accepted.
    for (const [index, { nonce }] of signed.entries()) {
      const kind = results[index]?.kind;
      if (kind !== 'accepted' && kind !== 'known') this.memory.sentAt.delete(nonce);
    }
    return results;
  }

  /** Journals and sends a self-transfer for a nonce that both the chain and the journal lack. */
  private async fillGap(journal: LaneJournal<S, C>, filler: SignedCall<S>): Promise<boolean> {
    const recorded = this.reserving.then(() => journal.record([filler]));
    this.reserving = recorded.catch(() => undefined);
    if ((await recorded).kind !== 'recorded') return false;
    await broadcastInOrder(this.options.chain, journal, [filler.transaction]);
    return true;
  }
}
