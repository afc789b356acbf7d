import { readFeePolicies, scanNext } from '@causeway/chain';
import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../config/configuration.js';
import { atOnce } from '../schedule/at-once.js';
import type { Stage } from '../schedule/stage.js';
import { eachChain, type BridgeChain, type BridgeChains } from '../world/bridge-chain.js';
import { CHAINS, CONFIGURATION, LOGGER, STORE } from '../world/tokens.js';
import { toScannedBlock } from './to-scanned-block.js';

/** Blocks read in one run: bounds the size of a database transaction while catching up. */
const MAX_BLOCKS = 200;

/** Stage 1. Reads both chains block by block, checked, and stores what happened; a reorg takes back what it removed. */
@Injectable()
export class ObserveStage implements Stage {
  readonly name = 'observe';

  constructor(
    @Inject(CHAINS) private readonly chains: BridgeChains,
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async run(fence: Fence): Promise<void> {
    await atOnce(eachChain(this.chains), (chain) => this.observe(fence, chain));
  }

  private async observe(fence: Fence, chain: BridgeChain): Promise<void> {
    const { chainId } = chain;
    const cursor = await this.store.scan.cursor(chainId);
    if (cursor === null) return this.store.scan.begin(fence, chainId, chain.deployedAtBlock);
    const { nextBlock } = cursor;
    const last = await this.store.scan.block(chainId, nextBlock - 1n);
    const scan = await scanNext({
      client: chain.connection.client,
      cursor: { nextBlock, lastHash: last?.hash ?? null },
      recentHashes: async (number) => (await this.store.scan.block(chainId, number))?.hash ?? null,
      watch: {
        contracts: [chain.bridge],
        receivers: chain.side === 'partner' ? [this.configuration.addressBook.relayer] : [],
      },
      maxBlocks: MAX_BLOCKS,
    });
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
