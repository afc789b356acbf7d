import type { Fence, Operation, OperationDelay, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CLOCK, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import { isReadToHead } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { delayAfterAttempt } from '../wallet/delivery-delay.js';
import type { RelayerLaneView } from '../wallet/lanes.js';
import { DeliveryPayments, type Payment } from './delivery-payments.js';
import { isNodeFailure, OwedDeliveries, type Unpaid } from './owed-deliveries.js';

const NOTHING: Payment = { sent: [], unpaid: [], paidBefore: [] };

/**
 * Stages 5 and 6. Delivers due operations in two steps: `OwedDeliveries` finds those that are owed, and
 * `DeliveryPayments` pays those that can be paid now. Writes and logs the outcome; `FollowCalls` and `settle` continue
 * from there.
 */
@Injectable()
export class DeliverStage implements Stage {
  readonly name = 'deliver';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(OwedDeliveries) private readonly owedDeliveries: OwedDeliveries,
    @Inject(DeliveryPayments) private readonly payments: DeliveryPayments,
  ) {}

  onWake(wake: () => void): void {
    this.payments.onVerdicts(() => {
      this.owedDeliveries.recheck();
      wake();
    });
  }

  async run(fence: Fence): Promise<boolean> {
    let hasWritten = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const due = await this.owedDeliveries.find(chain, this.clock.now());
      if (due.length === 0) return;
      const view = this.payments.readView(fence, chain);
      if (!(await isReadToHead(this.store, chain))) return;
      const { owed, unpaid, revoked } = await this.owedDeliveries.check(due);
      const hasFailed = await this.failRevoked(fence, revoked);
      const payment = owed.length === 0 ? NOTHING : await this.pay(fence, chain, owed, view);
      const delays = [...unpaid, ...payment.unpaid].flatMap((each) => this.delay(each));
      const hasSent = hasFailed || payment.sent.length > 0;
      // An operation that the contract has already paid is neither sent nor delayed: the next run is not urgent.
      if (hasSent || delays.length > 0) hasWritten = true;
      // The cause may have cleared; one run takes at most MAX_OPERATIONS.
      if (hasSent) this.owedDeliveries.recheck(chain);
      await this.store.operations.delayAll(fence, delays);
      for (const { operationId, reason } of delays) this.logger.warn({ operationId, reason }, 'delivery delayed');
    });
    return hasWritten;
  }

  /** Pays and logs. If the chain cannot be read, delays every operation. */
  private async pay(
    fence: Fence,
    chain: BridgeChain,
    owed: readonly Operation[],
    view: Promise<RelayerLaneView>,
  ): Promise<Payment> {
    try {
      const payment = await this.payments.pay({ fence, chain, owed, view, nowMs: this.clock.now() });
      for (const { id: operationId } of payment.paidBefore)
        this.logger.info({ operationId }, 'the contract has already paid this operation');
      for (const { operations, submission } of payment.sent) {
        const { hash: txHash, nonce, result } = submission;
        const operationIds = operations.map(({ id }) => id);
        this.logger.info(
          { operationIds, chainId: chain.chainId, txHash, nonce: nonce.toString(), result: result.kind },
          'delivery broadcast',
        );
      }
      return payment;
    } catch (error) {
      if (!isNodeFailure(error)) throw error;
      const unpaid = owed.map((operation) => ({ operation, reason: 'NODE_UNAVAILABLE' as const }));
      if (unpaid.some((each) => this.delay(each).length > 0))
        this.logger.error({ chainId: chain.chainId, err: error }, 'no delivery: the chain cannot be read');
      return { ...NOTHING, unpaid };
    }
  }

  /** Fails intents whose smart account has revoked their signature. */
  private async failRevoked(fence: Fence, revoked: readonly Operation[]): Promise<boolean> {
    let hasFailed = false;
    await forEachSequential(revoked, async ({ id: operationId }) => {
      if (!(await this.store.refunds.failIntent(fence, operationId, 'SIGNATURE_REVOKED'))) return;
      hasFailed = true;
      this.logger.warn({ operationId }, 'the sender has revoked the signature of the intent; the intent fails');
    });
    return hasFailed;
  }

  /** The delay of an operation. Empty when it was retried early and its cause has not cleared. */
  private delay({ operation, reason, nextAttemptAt: dueAt, why }: Unpaid): OperationDelay[] {
    const { id: operationId, attempts, delayedReason, nextAttemptAt } = operation;
    const nowMs = this.clock.now();
    if (reason === delayedReason && nextAttemptAt !== null && nextAttemptAt.getTime() > nowMs) return [];
    if (why !== undefined) this.logger.warn({ operationId, why }, 'the delivery cannot be sent');
    const delay = dueAt === undefined ? delayAfterAttempt(reason, nowMs, attempts) : { reason, nextAttemptAt: dueAt };
    return [{ operationId, ...delay }];
  }
}
