import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, inOneStep } from '../pipeline/for-each.js';
import { hasBlock, type ConfirmedChain } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

interface HoldChains {
  readonly ethereum: ConfirmedChain;
  readonly partner: ConfirmedChain;
}

interface HoldStore {
  readonly operations: Pick<Store['operations'], 'findHoldsOver' | 'releaseHolds'>;
  readonly scan: Pick<Store['scan'], 'latestBlock'>;
}

/** Stage 4. Releases final operations when their hold has ended by both the origin chain's clock and our own. */
@Injectable()
export class HoldStage implements Stage {
  readonly name = 'hold';

  constructor(
    @Inject(CHAINS) private readonly chains: HoldChains,
    @Inject(STORE) private readonly store: HoldStore,
    @Inject(CONFIGURATION) private readonly configuration: Pick<Configuration, 'environment'>,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info'>,
  ) {}

  async run(fence: Fence): Promise<boolean> {
    const { ethereum, partner } = this.chains;
    const isLocal = this.configuration.environment === 'local';
    let hasWritten = false;
    await forEachParallel([ethereum, partner], async (chain) => {
      const newest = await this.store.scan.latestBlock(chain.chainId);
      if (newest === null) return;
      const over = await this.store.operations.findHoldsOver(chain.chainId, newest.timestamp, isLocal);
      // A quorum must confirm the block, since a single node could invent a time.
      if (over.length === 0 || !(await hasBlock(chain, newest))) return;
      await inOneStep(over, async (part) => {
        const ids = part.map(({ id }) => id);
        for (const operationId of await this.store.operations.releaseHolds(fence, ids, newest.timestamp)) {
          hasWritten = true;
          this.logger.info({ operationId }, 'hold has ended');
        }
      });
    });
    return hasWritten;
  }
}
