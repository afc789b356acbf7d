import { listAssets, type Asset } from '@causeway/protocol';
import type { Fence, Store } from '@causeway/store';
import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER, STORE } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { isBacked, type Backing } from './solvency.js';
import { SolvencyReader } from './solvency-reader.js';

/** Halts the deliveries when an asset on the partner chain is not backed by the collateral on Ethereum. */
@Injectable()
export class SolvencyWatch {
  /** The assets that were short at the last block; those that were also short at the block before. */
  private short: ReadonlySet<Asset> = new Set();
  private insolvent: readonly Backing[] = [];
  private lastBlock: bigint | null = null;

  constructor(
    private readonly reader: SolvencyReader,
    @Inject(STORE) private readonly store: Store,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly metrics: RelayerMetrics,
  ) {}

  /**
   * Reads the backing of all assets once per partner block. Draws no conclusion while a chain catches up.
   *
   * @returns the assets that are not backed at two consecutive blocks.
   */
  async run(fence: Fence): Promise<readonly Backing[]> {
    const blocks = await this.reader.blocks();
    if (blocks === null || blocks.partner.number === this.lastBlock) return this.insolvent;
    const backings = await Promise.all(listAssets().map((asset) => this.reader.read(asset, blocks)));
    for (const backing of backings) this.metrics.backing(backing);
    const short = backings.filter((backing) => !isBacked(backing));
    const before = this.short;
    this.insolvent = short.filter(({ asset }) => before.has(asset));
    this.short = new Set(short.map(({ asset }) => asset));
    this.lastBlock = blocks.partner.number;
    for (const backing of this.insolvent) await this.halt(backing);
    await this.store.xcnTotals.keep(fence, blocks, await this.reader.xcnTotals(blocks), blocks.at);
    return this.insolvent;
  }

  private async halt({ asset, locked, outstanding, ethereumBlock, partnerBlock }: Backing): Promise<void> {
    const missing = outstanding - locked;
    const at = `at block ${ethereumBlock} of Ethereum and ${partnerBlock} of the partner chain`;
    const reason = `${asset} is short of ${missing}: ${outstanding} outstanding, ${locked} locked, ${at}`;
    if (await this.store.halts.haltDeliveries(reason))
      this.logger.fatal({ asset, reason }, 'insolvent: deliveries are halted');
  }
}
