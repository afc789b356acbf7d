import { BaseError } from 'viem';
import type { Signer } from '../signers/signer.js';
import { ChainError } from '../rpc/chain-error.js';
import type { BroadcastResult } from '../transactions/broadcast.js';
import { signTransaction } from '../transactions/sign-transaction.js';
import { committed, type LaneView, type SpendingLimits } from './books.js';
import { bumpFees, FeeCapError, feesWithin, type FeeMarket } from './fees.js';
import { isBroadcastDue, isCancellationDue, isReplacementDue, missingNonces } from './follow-decision.js';
import type { CallEnd, LaneChain, LaneJournal, PendingCall, SignedCall, Verdict, VersionOfCall } from './ports.js';

/** Maximum receipts, and maximum missing nonces, of one run. */
const MAX_PER_TURN = 100;
/** Transactions per HTTP request. */
const BROADCAST_BATCH = 50;
/** Minimum interval between log lines about a pending nonce gap. */
const GAP_LOG_MS = 60_000;
/** Gas limit of a self-transfer. Ethereum needs 21,000; other chains may need more. */
const TRANSFER_GAS = 30_000n;

/** Dependencies and settings of a wallet's lane. */
export interface LaneOptions {
  readonly chain: LaneChain;
  readonly signer: Signer;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly limits: SpendingLimits;
  /** Age at which a transaction is replaced, if the market has risen above it. */
  readonly replaceAfterMs: number;
  /** Blocks that make a transaction final, including its own block. */
  readonly confirmations: number;
  /** Receives log lines for operators. */
  readonly log: (message: string, fields: Readonly<Record<string, string>>) => void;
}

/** The lane's memory of calls, by nonce. It is not needed after a restart. */
export interface LaneMemory {
  /** Time of the last broadcast that reached a node, in epoch milliseconds. */
  readonly sentAt: Map<bigint, number>;
  /** Calls whose transaction the nodes refused. */
  readonly failed: Set<bigint>;
  readonly withheldSince: Map<bigint, number>;
  /** Head at which the receipt of a mined call becomes final. */
  readonly finalAt: Map<bigint, bigint>;
}

/** Sends transactions in the given order, `BROADCAST_BATCH` per HTTP request. */
export async function broadcastInOrder(
  chain: Pick<LaneChain, 'broadcast'>,
  journal: { readonly assertHeld: () => void },
  transactions: readonly { readonly raw: VersionOfCall['raw'] }[],
): Promise<BroadcastResult[]> {
  const results: BroadcastResult[] = [];
  for (let start = 0; start < transactions.length; start += BROADCAST_BATCH) {
    const batch = transactions.slice(start, start + BROADCAST_BATCH);
    journal.assertHeld();
    results.push(...(await Promise.all(batch.map(({ raw }) => chain.broadcast(raw)))));
  }
  return results;
}

/**
 * Finds how the nonce of a call was used up to a final block; null if it was not.
 *
 * @param onMined receives the block of the receipt, which may be after `finalBlock`.
 */
export async function findCallEnd(
  chain: Pick<LaneChain, 'receipt' | 'nonceAt'>,
  { nonce, transactions }: PendingCall,
  finalBlock: bigint,
  onMined: (block: bigint) => void = () => undefined,
): Promise<CallEnd | null> {
  for (const { hash, isCancellation } of transactions.toReversed()) {
    const receipt = await chain.receipt(hash);
    if (receipt === null) continue;
    onMined(receipt.block.number);
    if (receipt.block.number > finalBlock) return null;
    if (receipt.status === 'reverted') return { kind: 'reverted', receipt };
    return { kind: isCancellation ? 'cancelled' : 'succeeded', receipt };
  }
  return finalBlock > 0n && (await chain.nonceAt(finalBlock)) > nonce ? { kind: 'taken' } : null;
}

/** Follows the pending calls of a lane: checks receipts, rebroadcasts, replaces, cancels, and fills nonce gaps. */
export class CallFollower<S, C extends PendingCall> {
  /** Epoch milliseconds; null while the chain misses no nonce. */
  private gapLoggedAtMs: number | null = null;

  constructor(
    private readonly options: LaneOptions,
    private readonly memory: LaneMemory,
    private readonly fillGap: (journal: LaneJournal<S, C>, filler: SignedCall<S>) => Promise<boolean>,
  ) {}

  /** Runs once. Returns whether it wrote anything. */
  async run(journal: LaneJournal<S, C>, view: LaneView<C>, judge: (call: C) => Promise<Verdict>): Promise<boolean> {
    const concluded = await this.concludeMined(journal, view);
    const healed = await this.healGaps(journal, view);
    const changed = await this.sendUnmined(journal, view, judge);
    return concluded || healed || changed;
  }

  private async concludeMined(journal: LaneJournal<S, C>, { mined, head }: LaneView<C>): Promise<boolean> {
    const { finalAt } = this.memory;
    const due = mined.filter(({ nonce }) => (finalAt.get(nonce) ?? 0n) <= head).slice(0, MAX_PER_TURN);
    // Without a quorum on its receipt a call stays pending, and does not hold up other calls.
    const ends = await Promise.all(due.map((call) => this.findEnd(call, head).catch(nullWithoutQuorum)));
    let hasWritten = false;
    for (const [index, call] of due.entries()) {
      const end = ends[index];
      if (!end || !(await journal.conclude(call, end))) continue;
      hasWritten = true;
      for (const memory of Object.values(this.memory)) memory.delete(call.nonce);
    }
    return hasWritten;
  }

  /** Finds how a mined nonce was used; null while that is not final. */
  private async findEnd(call: C, head: bigint): Promise<CallEnd | null> {
    const { chain, confirmations } = this.options;
    const depth = BigInt(confirmations) - 1n;
    return findCallEnd(chain, call, head - depth, (block) => this.memory.finalAt.set(call.nonce, block + depth));
  }

  /** Fills nonce gaps: reopens the journalled calls, or sends self-transfers where the journal has none. */
  private async healGaps(journal: LaneJournal<S, C>, view: LaneView<C>): Promise<boolean> {
    const { unmined, chainNonce, nextNonce, head } = view;
    const missing = missingNonces(chainNonce, nextNonce, unmined).slice(0, MAX_PER_TURN);
    if (missing.length === 0) {
      this.gapLoggedAtMs = null;
      return false;
    }
    const reopened = await journal.reopenLost(chainNonce, head);
    this.logGap(missing, reopened);
    if (reopened > 0) return true;
    const { chain, signer, limits } = this.options;
    const fees = feesWithin(await chain.market(), limits.maxFeePerGas);
    if (fees === null) return false;
    const call = { to: signer.address, data: '0x', value: 0n } as const;
    let hasFilled = false;
    for (const nonce of missing) {
      const transaction = await signTransaction(signer, chain.chainId, call, { ...fees, nonce, gas: TRANSFER_GAS });
      // Not recorded if the journal has an ended call whose block the chain must reach again. Later nonces wait anyway.
      if (!(await this.fillGap(journal, { ...call, nonce, subject: journal.gap, transaction }))) break;
      hasFilled = true;
    }
    return hasFilled;
  }

  /** Logs a nonce gap when it appears, when calls are reopened for it, and once a minute while it lasts. */
  private logGap(missing: readonly bigint[], reopened: number): void {
    const nowMs = this.options.now();
    const isDue = this.gapLoggedAtMs === null || nowMs - this.gapLoggedAtMs >= GAP_LOG_MS;
    if (!isDue && reopened === 0) return;
    this.gapLoggedAtMs = nowMs;
    this.options.log('nonce gap: the chain lacks nonces of the wallet', {
      first: String(missing[0]),
      count: String(missing.length),
      reopened: String(reopened),
    });
  }

  private async sendUnmined(
    journal: LaneJournal<S, C>,
    view: LaneView<C>,
    judge: (call: C) => Promise<Verdict>,
  ): Promise<boolean> {
    const { unmined, chainNonce } = view;
    const nowMs = this.options.now();
    const last = unmined.at(-1)?.nonce ?? 0n;
    const due = unmined.filter((call) => {
      this.memory.finalAt.delete(call.nonce);
      return isBroadcastDue(call.nonce === chainNonce, this.remembered(call), nowMs);
    });
    if (due.length === 0) return false;
    const market = await this.options.chain.market();
    const verdicts = await Promise.all(due.map((call) => judge(call)));
    const sends: { readonly call: C; readonly transaction: SignedCall<S>['transaction'] }[] = [];
    let hasWritten = false;
    for (const [index, call] of due.entries()) {
      const verdict = this.isUnpayable(call, view) ? 'cancel' : (verdicts[index] ?? 'withhold');
      if (await this.cancelIfDue(journal, call, verdict, last > call.nonce)) {
        hasWritten = true;
      } else if (verdict === 'send') {
        const transaction = await this.transactionFor(journal, call, chainNonce, market);
        if (transaction === null) continue;
        sends.push({ call, transaction });
        hasWritten ||= transaction !== call.transactions.at(-1);
      }
    }
    await this.send(journal, sends);
    return hasWritten;
  }

  /** Cancels a call that must not be mined, or that has been withheld for too long while other calls wait for it. */
  private async cancelIfDue(
    journal: LaneJournal<S, C>,
    call: C,
    verdict: Verdict,
    hasCallsBehind: boolean,
  ): Promise<boolean> {
    const { withheldSince } = this.memory;
    const nowMs = this.options.now();
    if (verdict === 'withhold') withheldSince.set(call.nonce, withheldSince.get(call.nonce) ?? nowMs);
    else withheldSince.delete(call.nonce);
    const isDue =
      verdict === 'cancel' ||
      (verdict === 'withhold' && isCancellationDue(hasCallsBehind, this.remembered(call), nowMs));
    if (!isDue || !(await journal.cancel(call))) return false;
    this.memory.sentAt.delete(call.nonce);
    this.options.log('the call is cancelled: an empty transaction will use its nonce', { nonce: String(call.nonce) });
    return true;
  }

  /** Returns whether the wallet cannot pay the next call with value, which would block every later nonce. */
  private isUnpayable(call: C, { chainNonce, balance }: LaneView<C>): boolean {
    return call.nonce === chainNonce && call.value > 0n && !call.isCancelled && committed(call) > balance;
  }

  /** Returns the transaction to send for a call: its last one, or a stored replacement. Null: send none now. */
  private async transactionFor(
    journal: LaneJournal<S, C>,
    call: C,
    chainNonce: bigint,
    market: FeeMarket,
  ): Promise<SignedCall<S>['transaction'] | null> {
    const last = call.transactions.at(-1);
    if (last === undefined) return null;
    const { now, replaceAfterMs } = this.options;
    const mustCancel = call.isCancelled && !last.isCancellation;
    if (!mustCancel && !isReplacementDue(call, chainNonce, market, now(), replaceAfterMs)) return last;
    const unreplaced = mustCancel ? null : last;
    const replacement = await this.signReplacement(call, last, market);
    if (replacement === null) return unreplaced;
    if (!(await journal.replace(call, replacement, call.isCancelled))) return null;
    this.options.log('replaced with higher fees', {
      nonce: String(call.nonce),
      replaced: last.hash,
      txHash: replacement.hash,
    });
    return replacement;
  }

  private async signReplacement(call: C, last: VersionOfCall, market: FeeMarket) {
    const { signer, chain, limits } = this.options;
    const perDelivery = (limits.maxFeePerDelivery * BigInt(call.deliveries)) / last.gas;
    const cap = perDelivery < limits.maxFeePerGas ? perDelivery : limits.maxFeePerGas;
    try {
      const fees = bumpFees(last, market, cap);
      const [to, data, value, gas] = call.isCancelled
        ? ([signer.address, '0x', 0n, TRANSFER_GAS] as const)
        : ([call.to, call.data, call.value, last.gas] as const);
      return await signTransaction(signer, chain.chainId, { to, data, value }, { ...fees, nonce: call.nonce, gas });
    } catch (error) {
      if (!(error instanceof FeeCapError)) throw error;
      this.options.log('the fee caps allow no higher fees', { nonce: String(call.nonce), txHash: last.hash });
      return null;
    }
  }

  private async send(
    journal: LaneJournal<S, C>,
    sends: readonly { readonly call: C; readonly transaction: SignedCall<S>['transaction'] }[],
  ): Promise<void> {
    const { sentAt, failed } = this.memory;
    const results = await broadcastInOrder(
      this.options.chain,
      journal,
      sends.map(({ transaction }) => transaction),
    );
    for (const [index, { call, transaction }] of sends.entries()) {
      const result = results[index];
      if (result === undefined) continue;
      const isFirst = !sentAt.has(call.nonce);
      const isTaken = result.kind === 'accepted' || result.kind === 'known';
      const hasFailed = result.kind === 'insufficient-funds' || result.kind === 'refused';
      // After `unreachable` the next run sends again.
      if (result.kind !== 'unreachable') sentAt.set(call.nonce, this.options.now());
      if (!isTaken) this.options.log('no node accepted the transaction', { nonce: String(call.nonce), ...result });
      if (hasFailed === failed.has(call.nonce) && !(isFirst && isTaken)) continue;
      if (hasFailed) failed.add(call.nonce);
      else failed.delete(call.nonce);
      await journal.noteBroadcast(call, transaction.hash, result);
    }
  }

  private remembered({ nonce }: C) {
    const { sentAt, withheldSince } = this.memory;
    return { sentAtMs: sentAt.get(nonce) ?? null, withheldSinceMs: withheldSince.get(nonce) ?? null };
  }
}

function nullWithoutQuorum(error: unknown): null {
  if (error instanceof ChainError || error instanceof BaseError) return null;
  throw error;
}
