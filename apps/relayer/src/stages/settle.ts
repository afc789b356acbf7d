import { QuorumError } from '@causeway/chain';
import type { Fence, FinalDelivery, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, inOneStep } from '../pipeline/for-each.js';
import type { Stage } from '../pipeline/scheduler.js';

/** Stage 7. A Mint or Release event completes its operation, once a quorum of nodes has its block as final. */
@Injectable()
export class SettleStage implements Stage {
  readonly name = 'settle';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    let hasSettled = false;
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const newest = await this.store.scan.latestBlock(chain.chainId);
      if (newest === null) return;
      const finalBlock = newest.number - BigInt(chain.confirmations) + 1n;
      const deliveries = await this.store.operations.findFinalDeliveries(chain.chainId, finalBlock);
      const operations = await this.store.operations.findByIds(deliveries.map(({ operationId }) => operationId));
      const byId = new Map(operations.map((operation) => [operation.id, operation]));
      const due = await Promise.all(
        deliveries.map((delivery) => this.isDue(chain, delivery, byId.get(delivery.operationId))),
      );
      const final = deliveries.filter((_, index) => due[index]);
      await inOneStep(final, async (part) => {
        const settled = await this.store.operations.settleAll(fence, part);
        if (settled.size > 0) hasSettled = true;
        for (const { operationId, txHash } of part)
          if (settled.has(operationId)) this.logger.info({ operationId, txHash }, 'completed');
      });
    });
    return hasSettled;
  }

  private async isDue(chain: BridgeChain, delivery: FinalDelivery, operation: Operation | undefined): Promise<boolean> {
    const { operationId, txHash } = delivery;
    // A node that invents an event must not complete an operation that nobody was paid for.
    if (operation === undefined || !(await this.isFinal(chain, delivery))) return false;
    if (matchesOperation(operation, delivery)) return true;
    // Only the relayer's key can have sent this: an operator must investigate.
    this.logger.fatal(
      { operationId, txHash, paid: delivery.args },
      'the delivery on the chain does not match the operation',
    );
    return false;
  }

  /** Nodes that do not agree about one block hold up no delivery of another. */
  private async isFinal(chain: BridgeChain, delivery: FinalDelivery): Promise<boolean> {
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

function matchesOperation(operation: Operation, { args }: FinalDelivery): boolean {
  return args['recipient'] === operation.recipient && args['amount'] === operation.outputAmount.toString();
}
