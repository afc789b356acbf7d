import type { Store } from '@causeway/store';
import { Inject, Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Logger } from 'pino';
import type { Configuration } from '../configuration.js';
import { CLOCK, CONFIGURATION, LOGGER, STORE, type Clock } from '../infrastructure.js';
import { RelayerMetrics } from '../metrics/relayer-metrics.js';
import { createChannels } from './channels.js';
import { NotifyStage } from './notify-stage.js';

/** The stages that send notifications, one for each configured channel. */
@Injectable()
export class Notifiers implements BeforeApplicationShutdown {
  readonly stages: readonly NotifyStage[];
  private readonly ending = new AbortController();

  constructor(
    @Inject(STORE) store: Store,
    @Inject(CONFIGURATION) { notifications: settings }: Configuration,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) logger: Logger,
    metrics: RelayerMetrics,
  ) {
    const port = { store, settings, clock, logger, metrics, ending: this.ending.signal };
    this.stages = createChannels(settings).map((channel) => new NotifyStage(channel, port));
  }

  /** Runs before the scheduler waits for its stages and releases the lease, which a silent channel must not delay. */
  beforeApplicationShutdown(): void {
    this.ending.abort();
  }
}
