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

/** How often calls are signed again when another nonce or fewer calls are needed. */
const MAX_SIGNATURES = 4;
/** Age of the wallet's state and of the fee market at which they are read again. */
const RECENT_MS = 500;

/** A call that a stage hands in. */
export interface CallRequest<S> extends Call {
  /** The gas limit. Unused gas costs nothing. */
  readonly gas: bigint;
  /** How many deliveries it carries; the fee cap per delivery counts for each. 1 for everything else. */
  readonly deliveries: number;
  /** The value came to the wallet for this call, so the gas reserve does not count. */
  readonly isPassedOn?: boolean;
  readonly subject: S;
}

/** The result of a request. Only `sent` has taken a nonce. */
export type Submission =
  | { readonly kind: 'sent'; readonly hash: Hex; readonly nonce: bigint; readonly result: BroadcastResult }
  | { readonly kind: 'rejected'; readonly reason: Rejection | 'fee-per-gas' }
  /** Nothing was stored: a chain is halted, or what it serves does not wait any more. */
  | { readonly kind: 'obsolete' };

/**
 * Every transaction of a wallet on a chain: admit to the books, reserve a nonce, sign, journal, broadcast, and follow
 * until it is final. One per wallet and chain in the process that holds the lease.
 *
 * Its only state is memory of broadcasts; nonces and books come from the chain and the journal at every turn.
 */
export class WalletLane<S, C extends PendingCall> {
  private readonly memory: LaneMemory = {
    sentAt: new Map(),
    failed: new Set(),
    withheldSince: new Map(),
    finalAt: new Map(),
  };
  private readonly follower: CallFollower<S, C>;
  /** The end of the last step that reserved nonces, and of the last broadcast. */
  private reserving: Promise<unknown> = Promise.resolve();
  private sending: Promise<unknown> = Promise.resolve();
  /** The journal knows what the wallet has sent since, so an older state never lets it spend more. */
  private readonly wallet: Recent<WalletState>;
  private readonly market: Recent<FeeMarket>;
  /** The block at which no call was in flight and no nonce missed. */
  private idleAt: bigint | null = null;

  constructor(private readonly options: LaneOptions) {
    const { chain, now } = options;
    this.wallet = new Recent(() => this.readWallet(), RECENT_MS, now);
    this.market = new Recent(() => chain.market(), RECENT_MS, now);
    this.follower = new CallFollower(options, this.memory, (journal, filler) => this.fillGap(journal, filler));
  }

  /** Reads the calls in flight and what the wallet can spend, all at the same recent block, before a `submit`. */
  async look(journal: LaneJournal<S, C>): Promise<LaneView<C>> {
    // The submit needs it next. It reads it again if this fails.
    this.market.get().catch(() => undefined);
    return this.view(journal, () => this.wallet.get());
  }

  private async view(journal: LaneJournal<S, C>, readWallet: () => Promise<WalletState>): Promise<LaneView<C>> {
    const { now, limits } = this.options;
    // In this order, so that every nonce below the next one is a pending or an ended call.
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
   * Sends calls in the given order. One that the books or the fee caps do not allow takes no nonce and holds up none.
   *
   * @returns what became of each request, in their order.
   */
  async submit(journal: LaneJournal<S, C>, requests: readonly CallRequest<S>[]): Promise<Submission[]> {
    if (requests.length === 0) return [];
    // Read while the steps before this one sign and journal: a node answers late while it takes their transactions.
    const read = Promise.all([this.wallet.get(), this.market.get()]);
    read.catch(() => undefined);
    const reserved = this.reserving.then(async () => this.reserve(journal, requests, await read));
    this.reserving = reserved.catch(() => undefined);
    const { signed, submissions } = await reserved;
    // In the order of the nonces, also between groups: some nodes refuse a nonce whose predecessor they do not have.
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
   * @param judge decides before every broadcast, since a journalled transaction may be sent long after it was signed.
   * @returns whether it wrote anything.
   */
  async follow(journal: LaneJournal<S, C>, judge: (call: C) => Promise<Verdict>): Promise<boolean> {
    // Without a call in flight or a gap, only another block can bring something to do.
    if (this.idleAt !== null && this.idleAt === (await this.options.chain.head()))
      if ((await journal.pending()).length === 0) return false;
    const view = await this.view(journal, () => this.wallet.renew());
    const hasWritten = await this.follower.run(journal, view, judge);
    const { nextNonce, chainNonce, mined, unmined, head } = view;
    const isIdle = !hasWritten && nextNonce <= chainNonce && mined.length + unmined.length === 0;
    this.idleAt = isIdle ? head : null;
    return hasWritten;
  }

  /** Nonce and balance of the wallet at one block. */
  private async readWallet(): Promise<WalletState> {
    const { chain } = this.options;
    const head = await chain.head();
    const [chainNonce, balance] = await Promise.all([chain.nonceAt(head), chain.balanceAt(head)]);
    return { head, chainNonce, balance };
  }

  /** Admits, signs and journals. `null` in `submissions`: it is among the signed ones. */
  private async reserve(
    journal: LaneJournal<S, C>,
    requests: readonly CallRequest<S>[],
    [{ chainNonce, balance }, market]: readonly [WalletState, FeeMarket],
  ) {
    const { limits, now } = this.options;
    // The sums suffice, so the pending calls are not read: they may be hundreds.
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
        // The follower leaves them to the broadcast of this step.
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
    // The follower sends those again that no node took, and reports them.
    for (const [index, { nonce }] of signed.entries()) {
      const kind = results[index]?.kind;
      if (kind !== 'accepted' && kind !== 'known') this.memory.sentAt.delete(nonce);
    }
    return results;
  }

  /** Journals and sends a self-transfer for a nonce that neither the chain nor the journal has. */
  private async fillGap(journal: LaneJournal<S, C>, filler: SignedCall<S>): Promise<boolean> {
    const recorded = this.reserving.then(() => journal.record([filler]));
    this.reserving = recorded.catch(() => undefined);
    if ((await recorded).kind !== 'recorded') return false;
    await broadcastInOrder(this.options.chain, journal, [filler.transaction]);
    return true;
  }
}
