import { computeRefundId } from '@causeway/protocol';
import {
  judgeDelivery,
  judgeRefund,
  MemoryRecord,
  type Origin,
  type Side,
  type Verdict,
  type Verifier,
} from '@causeway/verifier';
import { zeroAddress, type Hex } from 'viem';
import { BOOK } from '../bridge.ts';
import { CONFIGURATION, CONFIRMATIONS } from '../environment/configuration.ts';
import { Random } from '../environment/random.ts';
import type { Simulation } from '../environment/simulation.ts';
import { withRealTimers } from '../environment/virtual-timers.ts';
import { ViolationError } from '../outcome.ts';
import { changeItem, exchangeTransfers, type Item, type Paid } from './changed-items.ts';
import { isSwept } from './departures.ts';
import { formatCall, readPayments, type CalledPayment } from './payment-terms.ts';
import { makeVerifier, withEverySweep } from './simulated-verifier.ts';
import { VerdictItems } from './verdict-items.ts';

interface SentPayment extends CalledPayment {
  readonly txHash: Hex;
  /** Why the verifier does not agree yet. */
  readonly doubt: string;
}

/** An item, with its transfer of native XCN, if any. */
interface Shown {
  readonly item: Item;
  readonly paid: Paid | null;
}

/** Changed items for each judged payment. */
const CHANGES = 12;
const AGREES = 'the verifier agrees to each payment';
const AGREES_ONLY = 'the verifier agrees to nothing else';
const NOTHING_EARLY = 'the verifier agrees to nothing early';
const OWES_NOTHING = 'nothing is owed at the end';

/**
 * Runs the verifier beside the relayer. It must agree to each payment that the relayer sends, refuse each changed one,
 * agree to nothing early, and know at the end which were paid. It shares no code with the relayer, so a difference is a
 * bug of one of them.
 */
export class Verdicts {
  /** Judgements so far. */
  count = 0;
  private readonly simulation: Simulation;
  private readonly items: VerdictItems;
  /** Without a record, like an attester that has lost it. */
  private readonly verifier: Verifier;
  /** The same verifier on a chain where a thief has swept every transfer. */
  private readonly deceived: Verifier;
  /** With a record of the relayer's payments. */
  private readonly attester: Verifier;
  private readonly record = new MemoryRecord();
  private readonly random: Random;
  private readonly known = new Set<string>();
  /** Sent, but not agreed to yet. */
  private pending: SentPayment[] = [];
  private readonly agreed: Shown[] = [];
  /** Chains on which an ended hold may run again, by the times of another branch. */
  private readonly reorganised = new Set<Side>();
  private blocks = '';

  constructor(simulation: Simulation, seed: number) {
    this.simulation = simulation;
    this.items = new VerdictItems(simulation);
    this.random = new Random(seed);
    this.verifier = makeVerifier(simulation);
    this.deceived = withEverySweep(this.verifier);
    this.attester = { ...this.verifier, record: this.record };
    for (const side of ['ethereum', 'partner'] as const) this.watch(side);
  }

  /** Judges the sent payments. One whose block or time has not come is judged again with the next block. */
  async judgeSent(): Promise<void> {
    const { bridge, hasFinalReorg, forgeries, useless } = this.simulation;
    const heads = `${bridge.ethereum.head.hash} ${bridge.partner.head.hash}`;
    const isNewBlock = !this.blocks.startsWith(heads);
    const blocks = `${heads} ${this.known.size}`;
    if (blocks === this.blocks) return;
    this.blocks = blocks;
    // The thief uses the same key.
    const judged = this.pending.filter(({ txHash }) => !forgeries.has(txHash) && !useless.has(txHash));
    this.pending = [];
    // After such a reorg, terms from before and after it are pending.
    if (hasFinalReorg) return;
    for (const payment of judged) {
      const doubt = await this.findDoubt(payment);
      if (doubt !== null) this.pending.push({ ...payment, doubt });
    }
    if (isNewBlock) await this.checkEarly();
  }

  /** At the end nothing is owed: everything owed was paid, and the relayer refunds the rest. */
  async checkEnd(): Promise<void> {
    const { hasFinalReorg, forgeries, database } = this.simulation;
    if (hasFinalReorg || forgeries.size > 0) return;
    const [left] = this.pending;
    if (left !== undefined) throw new ViolationError(AGREES, `${left.terms} is still not to be signed: ${left.doubt}`);
    const deliveries = await this.items.makeDeliveries(database.operations.map(({ id }) => id));
    for (const item of deliveries) await this.expectNone(OWES_NOTHING, item);
    for (const { id } of database.refunds) {
      const refund = await this.items.makeRefund(id);
      if (refund !== null) await this.expectNone(OWES_NOTHING, refund.item);
    }
  }

  /** Why the verifier does not agree to a payment now; null when it does. */
  private async findDoubt(payment: SentPayment): Promise<string | null> {
    const { kind, terms } = payment;
    const shown = await this.show(payment);
    if (shown === null) throw new ViolationError('each payment is of an operation', terms);
    const { item, paid } = shown;
    const verdict = await this.judge(item, this.attester);
    if (verdict.kind === 'NOT_YET') {
      if (!this.isEarly(item) && !this.isUnswept(item)) return verdict.why;
      // By the times of another branch, the hold had ended.
      if (this.reorganised.has(item.kind === 'MINT' ? 'ethereum' : 'partner')) return null;
      throw new ViolationError(AGREES, `${terms} is early: ${verdict.why}`);
    }
    if (verdict.kind === 'REFUSE') throw new ViolationError(AGREES, `${terms}: ${verdict.reason}: ${verdict.why}`);
    const [agreed] = formatCall(verdict.call);
    if (agreed !== terms) throw new ViolationError('both have the same terms', `${terms}, and the verifier ${agreed}`);
    const changed = Array.from({ length: CHANGES }, (_, number) => changeItem(item, number, this.random));
    const exchanged = this.agreed.flatMap((other) => [
      exchangeTransfers(item, other.item, other.paid),
      exchangeTransfers(other.item, item, paid),
    ]);
    const unpaid = item.kind === 'REFUND' && paid !== null ? await this.items.makeUnpaid(item, paid) : [];
    for (const wrong of [...changed, ...exchanged, ...unpaid])
      if (wrong !== null) await this.expectNone(AGREES_ONLY, wrong);
    this.agreed.push(shown);
    this.record.add({ transfer: verdict.transfer, kind, id: item.id });
    return null;
  }

  private async show({ kind, id }: SentPayment): Promise<Shown | null> {
    if (kind === 'REFUND') {
      const refund = await this.items.makeRefund(id);
      if (refund === null) return null;
      const { item, payer, amount } = refund;
      return { item, paid: item.token === zeroAddress ? { payer, amount } : null };
    }
    const [item] = await this.items.makeDeliveries([id]);
    if (item === undefined) return null;
    return { item, paid: item.kind === 'INTENT' ? { payer: item.intent.sender, amount: item.intent.amount } : null };
  }

  /**
   * The verifier agrees to nothing before the origin is final, the hold has ended, and an intent's coin is in the
   * float.
   */
  private async checkEarly(): Promise<void> {
    const ids = this.simulation.database.operations.flatMap(({ id, status }) =>
      status === 'CONFIRMING' || status === 'AWAITING_RELAY' ? [id] : [],
    );
    if (ids.length === 0) return;
    for (const item of await this.items.makeDeliveries(ids)) {
      if (this.isEarly(item)) await this.expectNone(NOTHING_EARLY, item);
      else if (this.isUnswept(item)) await this.expectNone(NOTHING_EARLY, item, this.verifier);
    }
  }

  /** By the rules of both: the relayer's hold starts when the origin is final, the verifier's ends in a final block. */
  private isEarly(item: Item): boolean {
    const side = item.kind === 'MINT' ? 'ethereum' : 'partner';
    const { blockNumber }: Origin = item.kind === 'REFUND' ? item.arrival : item.origin;
    const chain = this.simulation.bridge[side];
    const [number, depth] = [Number(blockNumber), CONFIRMATIONS[side] - 1];
    if (number + depth > chain.head.number) return true;
    if (item.kind !== 'RELEASE' && item.kind !== 'INTENT') return false;
    const isHeldAt = (begin: number, end: number) =>
      chain.blockAt(end).timestamp < chain.blockAt(begin).timestamp + CONFIGURATION.holdSeconds;
    return isHeldAt(number + depth, chain.head.number) && isHeldAt(number, chain.head.number - depth);
  }

  private isUnswept(item: Item): boolean {
    if (item.kind !== 'INTENT') return false;
    const { transactionHash: txHash, callIndex } = item.origin;
    const transferId = computeRefundId({ chainId: BOOK.partner.chainId, txHash, asset: 'XCN', callIndex });
    const { number } = this.simulation.bridge.partner.head;
    return !isSwept(this.simulation, transferId, number - CONFIRMATIONS.partner + 1);
  }

  private async expectNone(invariant: string, item: Item, verifier = this.deceived): Promise<void> {
    if ((await this.judge(item, verifier)).kind === 'SIGN') throw new ViolationError(invariant, formatItem(item));
  }

  private async judge(item: Item, verifier: Verifier): Promise<Verdict> {
    this.count += 1;
    return withRealTimers(async () =>
      item.kind === 'REFUND' ? judgeRefund(item, verifier) : judgeDelivery(item, verifier),
    );
  }

  private watch(side: Side): void {
    const chain = this.simulation.bridge[side];
    const reorg = chain.reorg.bind(chain);
    chain.reorg = (...input) => {
      this.reorganised.add(side);
      reorg(...input);
    };
    const { pool } = chain;
    const add = pool.add.bind(pool);
    pool.add = (transaction, ...rest) => {
      add(transaction, ...rest);
      const { from, hash: txHash } = transaction;
      if (from !== BOOK.relayer) return;
      for (const payment of readPayments(transaction)) {
        const key = `${payment.id} ${payment.terms}`;
        if (!this.known.has(key)) this.pending.push({ ...payment, txHash, doubt: 'it was not judged' });
        this.known.add(key);
      }
    };
  }
}

function formatItem(item: Item): string {
  return JSON.stringify(item, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value));
}
