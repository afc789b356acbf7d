import type { Fence, FinalDelivery, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { atOnce } from '../schedule/at-once.js';
import { eachInTurn } from '../schedule/each-in-turn.js';
import type { Stage } from '../schedule/stage.js';
import { eachChain, type BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../world/tokens.js';

/** Stage 7. A Mint or Release event that is final completes its operation. */
@Injectable()
export class SettleStage implements Stage {
  readonly name = 'settle';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    await atOnce(eachChain(this.chains), async (chain) => {
      const newest = await this.store.scan.latestBlock(chain.chainId);
      if (newest === null) return;
      const finalBlock = newest.number - BigInt(chain.confirmations) + 1n;
      const deliveries = await this.store.operations.findFinalDeliveries(chain.chainId, finalBlock);
      await eachInTurn(deliveries, (delivery) => this.settle(fence, delivery));
    });
  }

  private async settle(fence: Fence, delivery: FinalDelivery): Promise<void> {
    const { operationId, txHash } = delivery;
    const operation = await this.store.operations.findById(operationId);
    if (operation === null) return;
    if (!paysWhatIsOwed(operation, delivery)) {
      // Only the relayer's key can have done this: people must look.
      this.logger.fatal({ operationId, txHash, paid: delivery.args }, 'the delivery on the chain is not what was owed');
      return;
    }
    if (await this.store.operations.settle(fence, delivery)) this.logger.info({ operationId, txHash }, 'completed');
  }
}

function paysWhatIsOwed(operation: Operation, { args }: FinalDelivery): boolean {
  return args['recipient'] === operation.recipient && args['amount'] === operation.outputAmount.toString();
}
