import type { Fence, FinalDelivery, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import type { Stage } from '../pipeline/scheduler.js';

/** Stage 7. A final Mint or Release event completes its operation. */
@Injectable()
export class SettleStage implements Stage {
  readonly name = 'settle';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const newest = await this.store.scan.latestBlock(chain.chainId);
      if (newest === null) return;
      const finalBlock = newest.number - BigInt(chain.confirmations) + 1n;
      const deliveries = await this.store.operations.findFinalDeliveries(chain.chainId, finalBlock);
      await forEachSequential(deliveries, (delivery) => this.settle(fence, delivery));
    });
  }

  private async settle(fence: Fence, delivery: FinalDelivery): Promise<void> {
    const { operationId, txHash } = delivery;
    const operation = await this.store.operations.findById(operationId);
    if (operation === null) return;
    if (!matchesOperation(operation, delivery)) {
      // Only the relayer's key can have sent this: an operator must investigate.
      this.logger.fatal(
        { operationId, txHash, paid: delivery.args },
        'the delivery on the chain does not match the operation',
      );
      return;
    }
    if (await this.store.operations.settle(fence, delivery)) this.logger.info({ operationId, txHash }, 'completed');
  }
}

function matchesOperation(operation: Operation, { args }: FinalDelivery): boolean {
  return args['recipient'] === operation.recipient && args['amount'] === operation.outputAmount.toString();
}
