import { readFeePolicies, ReorgTooDeepError } from '@causeway/chain';
import { FinalityBrokenError, type Fence, type Halt, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../infrastructure.js';
import { forEachParallel } from '../pipeline/for-each.js';
import { scanChain } from '../pipeline/scan-chain.js';
import type { Stage } from '../pipeline/scheduler.js';
import { decodeBlock } from './decode-block.js';

/** A halted chain is logged again after this time, so that a log of any hour shows it. */
const HALT_NOTICE_MS = 60_000;

/**
 * Stage 1. Reads both chains block by block, verified, and stores their events. Rolls back blocks that a reorg removed.
 * A reorg of a final block halts the chain.
 */
@Injectable()
export class ObserveStage implements Stage {
  readonly name = 'observe';
  private readonly haltLoggedAtMs = new Map<number, number>();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    const halts = await this.store.halts.list();
    await forEachParallel(eachChain(this.chains), async (chain) => {
      const halt = halts.find(({ chainId }) => chainId === chain.chainId);
      if (halt !== undefined) return this.logHalt(halt);
      try {
        await this.observe(fence, chain);
      } catch (error) {
        if (!(error instanceof FinalityBrokenError || error instanceof ReorgTooDeepError)) throw error;
        await this.store.halts.halt(chain.chainId, error.message);
      }
    });
  }

  private logHalt({ chainId, since, reason }: Halt): void {
    const nowMs = Date.now();
    if (nowMs - (this.haltLoggedAtMs.get(chainId) ?? -Infinity) < HALT_NOTICE_MS) return;
    this.haltLoggedAtMs.set(chainId, nowMs);
    this.logger.fatal({ chainId, since, reason }, 'the chain is halted until an operator resumes it');
  }

  private async observe(fence: Fence, chain: BridgeChain): Promise<void> {
    const { chainId } = chain;
    const scan = await scanChain(this.store, chain, this.configuration.addressBook.relayer);
    if (scan === null) return this.store.scan.begin(fence, chainId, chain.deployedAtBlock);
    if (scan.kind === 'reorg') {
      this.logger.warn({ chainId, ancestor: scan.ancestor.toString() }, 'reorg: rolling back to the common ancestor');
      await this.store.scan.rollBack(fence, chainId, scan.ancestor);
    }
    if (scan.kind === 'extend') {
      const policies = await readFeePolicies(this.chains.partner.connection.client, this.configuration.addressBook);
      const context = {
        book: this.configuration.addressBook,
        side: chain.side,
        ethereumConfirmations: this.configuration.ethereumConfirmations,
        partnerConfirmations: this.configuration.partnerConfirmations,
        policies,
      };
      const blocks = scan.blocks.map((block) => decodeBlock(block, context));
      await this.store.scan.extend(fence, chainId, blocks, scan.head);
      for (const event of blocks.flatMap((block) => block.events)) {
        this.logger.info({ operationId: event.operationId, chainId, txHash: event.txHash }, `${event.name} seen`);
      }
    }
  }
}
