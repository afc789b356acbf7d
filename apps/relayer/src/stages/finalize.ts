import { confirmations } from '@causeway/protocol';
import type { Fence, Operation, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel, forEachSequential } from '../pipeline/for-each.js';
import { haltedChains } from '../pipeline/halted-chains.js';
import { isOriginCanonical } from '../pipeline/origin.js';
import type { Stage } from '../pipeline/scheduler.js';

/** Stage 3. Counts confirmations. A canonical origin with enough of them is final, and its hold begins. */
@Injectable()
export class FinalizeStage implements Stage {
  readonly name = 'finalize';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    const touchesHalted = await haltedChains(this.store);
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const newest = await this.store.scan.latestBlock(chain.chainId);
      if (newest === null) return;
      await this.store.operations.countConfirmations(fence, chain.chainId, newest.number);
      const confirming = await this.store.operations.findConfirming(chain.chainId);
      const running = confirming.filter((operation) => !touchesHalted(operation));
      await forEachSequential(running, (operation) => this.finalize(fence, chain, operation, newest.number));
    });
  }

  private async finalize(fence: Fence, chain: BridgeChain, operation: Operation, headBlock: bigint): Promise<void> {
    const { origin } = operation;
    if (origin === null) return;
    const seen = confirmations(headBlock, origin.blockNumber);
    // An intent has the number of the API's configuration. This relayer never accepts fewer than its own.
    const required = Math.max(operation.requiredConfirmations, chain.confirmations);
    if (seen < required) return;
    // The block that made it final gives the time: the hold runs on the chain's clock, not on this machine's.
    // If that block is no longer stored, a later one only makes the hold longer.
    const finalBlock = await this.store.scan.blockFrom(chain.chainId, origin.blockNumber + BigInt(required) - 1n);
    if (finalBlock === null) return;
    if (!(await isOriginCanonical(chain.connection.client, origin))) {
      this.logger.warn({ operationId: operation.id }, 'the node does not confirm the origin; the next run retries');
      return;
    }
    const holdUntil =
      operation.direction === 'PARTNER_TO_ETHEREUM'
        ? new Date(finalBlock.timestamp.getTime() + this.configuration.holdSeconds * 1000)
        : null;
    const finality = { blockHash: origin.blockHash, confirmations: seen, finalBlock, holdUntil };
    if (await this.store.operations.finalize(fence, chain.chainId, operation.id, finality)) {
      this.logger.info({ operationId: operation.id, holdUntil }, 'origin is final');
    }
  }
}
