import type { Submission } from '@causeway/chain';
import type { Fence, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Configuration } from '../configuration.js';
import type { BridgeChain } from '../bridge-chain.js';
import { Attesters, type Consent } from '../exchange/attesters.js';
import { CONFIGURATION, STORE } from '../infrastructure.js';
import { getRejectionDelay } from '../wallet/delivery-delay.js';
import { Lanes, type RelayerLaneView } from '../wallet/lanes.js';
import { SolvencyReader } from '../watch/solvency-reader.js';
import { readFunds } from './delivery-funds.js';
import type { PayableIntent } from './encode-delivery.js';
import { hasTermsOfEvent } from './event-terms.js';
import type { Unpaid } from './owed-deliveries.js';
import { planDeliveries } from './plan-deliveries.js';
import { prepareGroup } from './prepare-delivery.js';

/** A sent call, with its operations. */
interface SentDelivery {
  readonly operations: readonly Operation[];
  readonly submission: Extract<Submission, { kind: 'sent' }>;
}

/** The outcome for owed operations. An operation in no list still waits for its attesters, or is obsolete. */
export interface Payment {
  readonly sent: readonly SentDelivery[];
  readonly unpaid: readonly Unpaid[];
  /** Operations that the contract has already paid: neither sent nor delayed. */
  readonly paidBefore: readonly Operation[];
}

interface PaymentInput {
  readonly fence: Fence;
  readonly chain: BridgeChain;
  readonly owed: readonly Operation[];
  readonly view: Promise<RelayerLaneView>;
  readonly nowMs: number;
}

/**
 * The second step of the stage `deliver`: pays owed operations that the attesters accept, the collateral backs and the
 * funds cover. It plans batches, simulates them, and submits the calls to the wallet lane.
 */
@Injectable()
export class DeliveryPayments {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(Lanes) private readonly lanes: Lanes,
    @Inject(SolvencyReader) private readonly solvency: Pick<SolvencyReader, 'reasonsAgainst'>,
    @Inject(Attesters) private readonly attesters: Pick<Attesters, 'consentOn' | 'show' | 'onVerdicts'>,
  ) {}

  /** Calls the listener when operations that wait for attesters may have become payable. */
  onVerdicts(listener: () => void): void {
    this.attesters.onVerdicts(listener);
  }

  /** Reads the pending calls and what the wallet can spend. `pay` throws its failure. */
  readView(fence: Fence, chain: BridgeChain): Promise<RelayerLaneView> {
    const view = this.lanes.of(chain).look(this.lanes.journal(fence, chain));
    view.catch(() => undefined);
    return view;
  }

  /**
   * Pays what can be paid. All operations of a run count together, so that no batch exceeds the collateral.
   *
   * @throws ChainError, BaseError when the chain cannot be read.
   */
  async pay({ fence, chain, owed, view, nowMs }: PaymentInput): Promise<Payment> {
    const { addressBook: book } = this.configuration;
    const consent = await this.attesters.consentOn(chain);
    const { accepted: judged, unaccepted } = await this.splitByVerdicts(consent, owed);
    const { accepted, edited } = await this.splitByTerms(judged);
    if (accepted.length === 0) return { sent: [], unpaid: [...unaccepted, ...edited], paidBefore: [] };
    const from = this.lanes.wallet(chain).address;
    const assets = accepted.map(({ asset }) => asset);
    const [reasons, funds] = await Promise.all([
      this.solvency.reasonsAgainst(fence, accepted),
      view.then((lane) => readFunds({ store: this.store, book, from }, chain, lane, assets)),
    ]);
    const unbacked = accepted.flatMap((operation) => {
      const reason = reasons.get(operation.id);
      return reason === undefined ? [] : [{ operation, reason }];
    });
    const backed = accepted.filter(({ id }) => !reasons.has(id));
    const plan = planDeliveries(backed, funds, nowMs);
    const simulation = { chain, from, book, consent, findIntent: (id: Operation['id']) => this.findIntent(id) };
    const prepared = await Promise.all(plan.groups.map((group) => prepareGroup(simulation, group)));
    const ready = prepared.flatMap((group) => group.ready);
    const requests = ready.map(({ request }) => request);
    const submissions = await this.lanes.of(chain).submit(this.lanes.journal(fence, chain), requests);
    const outcomes = ready.map(({ operations }, index) => ({ operations, submission: submissions[index] }));
    const rejected = outcomes.flatMap(({ operations, submission }) =>
      submission?.kind === 'rejected'
        ? operations.map((operation) => ({ operation, reason: getRejectionDelay(submission) }))
        : [],
    );
    return {
      sent: outcomes.flatMap(({ operations, submission }) =>
        submission?.kind === 'sent' ? [{ operations, submission }] : [],
      ),
      unpaid: [
        ...unaccepted,
        ...edited,
        ...unbacked,
        ...plan.delays,
        ...prepared.flatMap(({ delayed }) => delayed),
        ...rejected,
      ],
      paidBefore: prepared.flatMap(({ paid }) => paid),
    };
  }

  private async findIntent(id: Operation['id']): Promise<PayableIntent | null> {
    const { intents, attestable } = this.store;
    const [terms, transfers] = await Promise.all([intents.find(id), attestable.findTransfers([id])]);
    return terms === null ? null : { ...terms, transfer: transfers.get(id) ?? null };
  }

  /**
   * Keeps operations that enough attesters accept. Delays those that attesters refuse or have not answered by the
   * deadline. Others within the deadline stay pending: the next verdict wakes the stage.
   */
  private async splitByVerdicts(
    consent: Consent | null,
    owed: readonly Operation[],
  ): Promise<{ readonly accepted: readonly Operation[]; readonly unaccepted: readonly Unpaid[] }> {
    if (consent === null) return { accepted: owed, unaccepted: [] };
    await this.attesters.show('FINAL', owed);
    const accepted: Operation[] = [];
    const unaccepted: Unpaid[] = [];
    for (const operation of owed) {
      const standing = consent.judge(operation.id);
      if (standing === 'ACCEPTED') accepted.push(operation);
      else if (standing === 'REFUSED') unaccepted.push({ operation, reason: 'ATTESTERS_DISAGREE' });
      else if (standing === 'LATE') unaccepted.push({ operation, reason: 'ATTESTERS_UNAVAILABLE' });
    }
    return { accepted, unaccepted };
  }

  /** Keeps operations with the terms of their events: without attesters, nothing else refuses an edited one. */
  private async splitByTerms(
    operations: readonly Operation[],
  ): Promise<{ readonly accepted: readonly Operation[]; readonly edited: readonly Unpaid[] }> {
    const events = await this.store.comparison.beginnings(operations.map(({ id }) => id));
    const isAsBegun = (operation: Operation) =>
      hasTermsOfEvent(operation, events.get(operation.id), this.configuration.addressBook);
    return {
      accepted: operations.filter(isAsBegun),
      edited: operations
        .filter((operation) => !isAsBegun(operation))
        .map((operation) => ({
          operation,
          reason: 'ORIGIN_NOT_CONFIRMED',
          why: 'its terms differ from its event: somebody edited the database',
        })),
    };
  }
}
