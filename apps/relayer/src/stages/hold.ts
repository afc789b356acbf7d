import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { eachChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, LOGGER, STORE } from '../infrastructure.js';
import type { Stage } from '../pipeline/scheduler.js';

/** Stage 4. Releases final operations when their hold is over, by the clock of their origin chain. */
@Injectable()
export class HoldStage implements Stage {
  readonly name = 'hold';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    for (const { chainId } of eachChain(this.chains)) {
      const newest = await this.store.scan.latestBlock(chainId);
      if (newest === null) continue;
      for (const { id, holdUntil } of await this.store.operations.findHoldsOver(chainId, newest.timestamp)) {
        const released = await this.store.operations.releaseHold(fence, id, newest.timestamp);
        if (released && holdUntil !== null) this.logger.info({ operationId: id }, 'hold is over');
      }
    }
  }
}
