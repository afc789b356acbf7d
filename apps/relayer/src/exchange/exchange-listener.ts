import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { getOperationId } from '@causeway/protocol/attest';
import type { Logger } from 'pino';
import type { Address } from 'viem';
import type { Configuration } from '../configuration.js';
import { CLOCK, CONFIGURATION, LOGGER, TRACING, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import type { StageTracing } from '../stage-tracing.js';
import { Attesters } from './attesters.js';
import { addExchangeFigures, findDissenters } from './exchange-metrics.js';
import { serveExchange, type ExchangeServer } from './exchange-server.js';
import { Instances } from './instances.js';

/** Serves the exchange when ATTEST_PORT is set. A passive relayer also serves it, with an empty board. */
@Injectable()
export class ExchangeListener implements OnApplicationBootstrap, OnApplicationShutdown {
  private server: ExchangeServer | null = null;
  private readonly instances = new Instances();
  private readonly counted = new Map<Address, number>();

  constructor(
    @Inject(CONFIGURATION)
    private readonly configuration: Pick<
      Configuration,
      'addressBook' | 'exchange' | 'holdSeconds' | 'ethereumConfirmations' | 'partnerConfirmations'
    >,
    @Inject(LOGGER) private readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(Attesters)
    private readonly attesters: Pick<Attesters, 'board' | 'members' | 'readSets' | 'onVerdicts'>,
    private readonly metrics: RelayerMetrics,
    @Inject(TRACING) private readonly tracing: Pick<StageTracing, 'noteAnswer'> | null = null,
  ) {}

  /** @throws Error when the port is taken, or the certificate does not match its key. */
  async onApplicationBootstrap(): Promise<void> {
    const { configuration, logger, clock, attesters, metrics, tracing } = this;
    const { addressBook, exchange: settings, holdSeconds, ethereumConfirmations, partnerConfirmations } = configuration;
    if (settings === null) return;
    const { validSeconds } = settings;
    const parts = {
      board: attesters.board,
      members: async () => attesters.members(),
      lock: addressBook.ethereum,
      now: () => clock.now(),
      settings: { holdSeconds, ethereumConfirmations, partnerConfirmations, validSeconds },
      noteInstance: (attester: Address, instance: string, hungUp: AbortSignal) => this.note(attester, instance, hungUp),
      onFailure: (error: unknown) => logger.error({ err: error }, 'failed to answer the request of an attester'),
    };
    attesters.onVerdicts((attester, verdicts) => {
      for (const { id, verdict } of verdicts) {
        const item = attesters.board.find(id);
        const operationId = item === null ? id : getOperationId(item);
        tracing?.noteAnswer(operationId, `attester: ${verdict.kind}`, { 'causeway.attester': attester });
        if (verdict.kind === 'REFUSE')
          logger.warn(
            { id, operationId, attester, reason: verdict.reason, why: verdict.why },
            'an attester refuses an item',
          );
        for (const dissenter of findDissenters(attesters.board.getVerdicts(id), attester))
          metrics.attesterDissents.inc({ attester: dissenter });
      }
    });
    addExchangeFigures(metrics, {
      readSets: async () => attesters.readSets(),
      countInstances: () => this.instances.list(clock.now()),
    });
    this.server = await serveExchange(parts, settings);
    logger.info({ url: this.server.url }, 'serving the exchange for attesters');
  }

  async onApplicationShutdown(): Promise<void> {
    await this.server?.close();
  }

  /** Two processes with one key do not know of each other: they could sign different terms for one operation. */
  private note(attester: Address, instance: string, hungUp: AbortSignal): number {
    const now = this.clock.now();
    const count = this.instances.note(attester, instance, now, hungUp);
    // Prometheus detects an increase only of a counter that it has scraped before.
    if (!this.counted.has(attester)) this.metrics.attesterDissents.inc({ attester }, 0);
    if (count > 1 && (this.counted.get(attester) ?? 1) < count)
      this.logger.warn(
        { attester, instances: count },
        'several processes use the key of one attester; stop all but one',
      );
    this.counted.set(attester, count);
    return count;
  }
}
