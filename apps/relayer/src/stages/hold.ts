import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, inOneStep } from '../pipeline/for-each.js';
import { hasBlock, type ConfirmedChain } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

/** Both chains. */
interface HoldChains {
  readonly ethereum: ConfirmedChain;
  readonly partner: ConfirmedChain;
}

/** The part of the store that the stage reads and writes. */
interface HoldStore {
  readonly operations: Pick<Store['operations'], 'findHoldsOver' | 'releaseHolds'>;
  readonly scan: Pick<Store['scan'], 'latestBlock'>;
}

/** Stage 4. Releases final operations when their hold is over, by the clock of their origin chain and by our own. */
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
      // A single node could name any time.
      if (over.length === 0 || !(await hasBlock(chain, newest))) return;
      await inOneStep(over, async (part) => {
        const ids = part.map(({ id }) => id);
        for (const operationId of await this.store.operations.releaseHolds(fence, ids, newest.timestamp)) {
          hasWritten = true;
          this.logger.info({ operationId }, 'hold is over');
        }
      });
    });
    return hasWritten;
  }
}
