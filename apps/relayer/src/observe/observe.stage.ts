import { readFeePolicies, ReorgTooDeepError } from '@causeway/chain';
import { FinalityBrokenError, type Fence, type Halt, type Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import { atOnce } from '../schedule/at-once.js';
import type { Stage } from '../schedule/stage.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../world/tokens.js';
import { HaltNotice } from './halt-notice.js';
import { lookAtChain } from './look-at-chain.js';
import { toScannedBlock } from './to-scanned-block.js';

/**
 * Stage 1. Reads both chains block by block, checked, and stores what happened; a reorg takes back what it removed. One
 * that removes what was final halts the chain.
 */
@Injectable()
export class ObserveStage implements Stage {
  readonly name = 'observe';
  private readonly notice = new HaltNotice();

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    const halts = await this.store.halts.list();
    await atOnce(eachChain(this.chains), async (chain) => {
      const halt = halts.find(({ chainId }) => chainId === chain.chainId);
      if (halt !== undefined) return this.tell(halt);
      try {
        await this.observe(fence, chain);
      } catch (error) {
        if (!(error instanceof FinalityBrokenError || error instanceof ReorgTooDeepError)) throw error;
        await this.store.halts.halt(chain.chainId, error.message);
      }
    });
  }

  private tell({ chainId, since, reason }: Halt): void {
    if (!this.notice.isDue(chainId, Date.now())) return;
    this.logger.fatal({ chainId, since, reason }, 'the chain is halted until an operator lets it go on');
  }

  private async observe(fence: Fence, chain: BridgeChain): Promise<void> {
    const { chainId } = chain;
    const scan = await lookAtChain(this.store, chain, this.configuration.addressBook.relayer);
    if (scan === null) return this.store.scan.begin(fence, chainId, chain.deployedAtBlock);
    if (scan.kind === 'reorg') {
      this.logger.warn({ chainId, ancestor: scan.ancestor.toString() }, 'reorg: going back to the last common block');
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
      const blocks = scan.blocks.map((block) => toScannedBlock(block, context));
      await this.store.scan.extend(fence, chainId, blocks, scan.head);
      for (const event of blocks.flatMap((block) => block.events)) {
        this.logger.info({ operationId: event.operationId, chainId, txHash: event.txHash }, `${event.name} seen`);
      }
    }
  }
}
