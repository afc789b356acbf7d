import type { Fence, FinalDelivery, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
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
      await forEachSequential(deliveries, async (delivery) => {
        if (await this.settle(fence, chain, delivery)) hasSettled = true;
      });
    });
    return hasSettled;
  }

  private async settle(fence: Fence, chain: BridgeChain, delivery: FinalDelivery): Promise<boolean> {
    const { operationId, txHash } = delivery;
    // A node that invents an event must not complete an operation that nobody was paid for.
    if (!(await chain.finality.isFinal(delivery, chain.confirmations))) return false;
    const operation = await this.store.operations.findById(operationId);
    if (operation === null) return false;
    if (!matchesOperation(operation, delivery)) {
      // Only the relayer's key can have sent this: an operator must investigate.
      this.logger.fatal(
        { operationId, txHash, paid: delivery.args },
        'the delivery on the chain does not match the operation',
      );
      return false;
    }
    if (!(await this.store.operations.settle(fence, delivery))) return false;
    this.logger.info({ operationId, txHash }, 'completed');
    return true;
  }
}

function matchesOperation(operation: Operation, { args }: FinalDelivery): boolean {
  return args['recipient'] === operation.recipient && args['amount'] === operation.outputAmount.toString();
}
