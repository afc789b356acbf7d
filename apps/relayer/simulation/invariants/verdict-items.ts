import type { Store } from '@causeway/store';
import type { Delivery, IntentDelivery, TransferOrigin } from '@causeway/verifier';
import type { Hex } from 'viem';
import { makeItems, makeRefund } from '../../dist/exchange/items.js';
import { BOOK } from '../bridge.ts';
import type { Simulation } from '../environment/simulation.ts';
import { withRealTimers } from '../environment/virtual-timers.ts';
import type { Paid, RefundEntry } from './changed-items.ts';

/** A refund, with the payer and the amount of its transfer. */
export interface PaidBack extends Paid {
  readonly item: RefundEntry;
}

/** Builds items with the relayer's own code and rows. */
export class VerdictItems {
  private readonly simulation: Simulation;

  constructor(simulation: Simulation) {
    this.simulation = simulation;
  }

  /** Builds the items of operations. An intent without a transfer has none. */
  async makeDeliveries(ids: readonly Hex[]): Promise<Delivery[]> {
    const { store } = this;
    const items = await withRealTimers(async () => makeItems(store, BOOK, await store.operations.findByIds([...ids])));
    return items.flatMap((item): Delivery[] => {
      if (item.kind === 'REFUND') return [];
      if (item.kind !== 'INTENT') return [item];
      const { origin } = item;
      return origin === null ? [] : [{ ...item, origin }];
    });
  }

  /**
   * Builds the item of a refund on the partner chain; null before its payment is signed, and while a reorg has removed
   * its transfer.
   */
  async makeRefund(id: Hex): Promise<PaidBack | null> {
    return withRealTimers(async () => this.readRefund(id));
  }

  /**
   * Combines intents that wait for a transfer or have expired with a refund's transfer, and with the outer call of its
   * transaction. None of these combinations is owed.
   *
   * @param paid the payer and amount of that transfer.
   */
  async makeUnpaid({ arrival }: RefundEntry, { payer, amount }: Paid): Promise<IntentDelivery[]> {
    const { bridge, database } = this.simulation;
    const ids = database.operations.flatMap(({ id, kind, status }) =>
      kind === 'INTENT' && (status === 'PENDING_ORIGIN_TX' || status === 'EXPIRED') ? [id] : [],
    );
    const { store } = this;
    const items = await withRealTimers(async () => makeItems(store, BOOK, await store.operations.findByIds(ids)));
    const minedAt = bridge.partner.blockAt(Number(arrival.blockNumber)).timestamp;
    const first: readonly TransferOrigin[] = arrival.callIndex === 0 ? [] : [{ ...arrival, callIndex: 0 }];
    return items.flatMap((item) => {
      if (item.kind !== 'INTENT') return [];
      const { sender, amount: owed, deadline } = item.intent;
      // Skips a transfer from before its intent: the verifier does not know when the relayer accepted the intent.
      const mayPay = sender === payer && owed === amount && minedAt <= deadline;
      return [...first, ...(mayPay ? [] : [arrival])].map((origin) => ({ ...item, origin }));
    });
  }

  private get store(): Store {
    return this.simulation.database.server.store;
  }

  private async readRefund(id: Hex): Promise<PaidBack | null> {
    const { refunds, requests, attestable } = this.store;
    const refund = await refunds.find(id);
    if (refund === null || refund.payment === null || refund.approvedBy === null) return null;
    const { chainId, operationId, payer, amount } = refund;
    const request = await requests.find(refund.approvedBy);
    const arrival = (await attestable.findTransfers([operationId])).get(operationId);
    if (chainId !== BOOK.partner.chainId || request === null || arrival === undefined) return null;
    const payment = { ...refund.payment, refundId: id };
    const item = makeRefund({ refund, payment, request, arrival }, BOOK);
    return item?.kind === 'REFUND' ? { item, payer, amount } : null;
  }
}
