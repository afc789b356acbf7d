import { QuorumError } from '@causeway/chain';
import { canBeUsedUp, type Fence, type FinalDelivery, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChain } from '../bridge-chain.js';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, inOneStep } from '../pipeline/for-each.js';
import { readFinalBlock } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';
import { judgeDelivery } from '../watch/judge-delivery.js';

/** Maximum deliveries of one chain that are judged together. */
const MAX_DELIVERIES = 500;

/** A final delivery whose terms differ from its operation's. `why`: a sentence for operators. */
interface WrongDelivery extends FinalDelivery {
  readonly why: string;
}

interface SettleChain extends Pick<BridgeChain, 'side' | 'chainId' | 'confirmations'> {
  readonly finality: Pick<BridgeChain['finality'], 'isFinal'>;
}

interface SettleStore {
  readonly operations: Pick<Store['operations'], 'findFinalDeliveries' | 'findByIds' | 'settleAll' | 'delayUsedUp'>;
  readonly scan: Pick<Store['scan'], 'latestBlock'>;
}

/**
 * Stage 7. A Mint or Release event with the terms of its operation completes it, once a quorum of nodes has its block
 * as final. An event with other terms uses up the number: the operation is DELAYED, since nothing else can be sent for
 * it until the number is reopened.
 */
@Injectable()
export class SettleStage implements Stage {
  readonly name = 'settle';

  constructor(
    @Inject(CHAINS) private readonly chains: Readonly<Record<BridgeChain['side'], SettleChain>>,
    @Inject(STORE) private readonly store: SettleStore,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'addressBook'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    let hasWritten = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const finalBlock = await readFinalBlock(this.store, chain);
      if (finalBlock === null) return;
      const { operations } = this.store;
      let [page, settled]: [FinalDelivery[], number] = [[], 0];
      // Deliveries that settle nothing must not block later ones, however many there are.
      do {
        page = await operations.findFinalDeliveries(chain.chainId, finalBlock, page.at(-1) ?? null, MAX_DELIVERIES);
        const { right, wrong } = await this.judge(chain, page);
        settled = await this.settle(fence, right);
        if ((await this.delay(fence, wrong)) + settled > 0) hasWritten = true;
      } while (page.length === MAX_DELIVERIES && settled === 0);
    });
    return hasWritten;
  }

  /** Compares deliveries with their operations, and keeps those that a quorum of nodes has as final. */
  private async judge(
    chain: SettleChain,
    deliveries: readonly FinalDelivery[],
  ): Promise<{ readonly right: readonly FinalDelivery[]; readonly wrong: readonly WrongDelivery[] }> {
    const operations = await this.store.operations.findByIds(deliveries.map(({ operationId }) => operationId));
    const byId = new Map(operations.map((operation) => [operation.id, operation]));
    const right: FinalDelivery[] = [];
    const wrong: WrongDelivery[] = [];
    for (const delivery of deliveries) {
      const owed = byId.get(delivery.operationId);
      if (owed === undefined) continue;
      const judgement = judgeDelivery({ delivery, owed }, this.configuration.addressBook, chain.side);
      if (judgement.kind === 'matched') right.push(delivery);
      else if (!delivery.isReopened && canBeUsedUp(owed)) wrong.push({ ...delivery, why: judgement.why });
    }
    return { right: await this.keepFinal(chain, right), wrong: await this.keepFinal(chain, wrong) };
  }

  /** @returns how many operations were completed. */
  private async settle(fence: Fence, right: readonly FinalDelivery[]): Promise<number> {
    let completed = 0;
    await inOneStep(right, async (part) => {
      const settled = await this.store.operations.settleAll(fence, part);
      completed += settled.size;
      for (const { operationId, txHash } of part)
        if (settled.has(operationId)) this.logger.info({ operationId, txHash }, 'completed');
    });
    return completed;
  }

  /**
   * @returns how many operations were delayed. Only the relayer's key can have sent these, so operators must
   * investigate.
   */
  private async delay(fence: Fence, wrong: readonly WrongDelivery[]): Promise<number> {
    const delayed = await this.store.operations.delayUsedUp(fence, wrong);
    for (const { operationId, txHash, args, why } of wrong)
      if (delayed.has(operationId))
        this.logger.fatal({ operationId, txHash, paid: args, why }, 'the number is used up with other terms');
    return delayed.size;
  }

  /** An event that one node invents must change no operation. */
  private async keepFinal<D extends FinalDelivery>(chain: SettleChain, deliveries: readonly D[]): Promise<D[]> {
    const final = await Promise.all(deliveries.map((delivery) => this.isFinal(chain, delivery)));
    return deliveries.filter((_, index) => final[index]);
  }

  /** Disagreement about one block must not block deliveries in others. */
  private async isFinal(chain: SettleChain, delivery: FinalDelivery): Promise<boolean> {
    try {
      return await chain.finality.isFinal(delivery, chain.confirmations);
    } catch (error) {
      if (!(error instanceof QuorumError)) throw error;
      const { operationId } = delivery;
      this.logger.warn({ operationId, err: error }, 'the nodes do not agree on the delivery; the next run retries');
      return false;
    }
  }
}
