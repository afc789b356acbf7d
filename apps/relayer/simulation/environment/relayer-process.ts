import type { Mirror, Signer } from '@causeway/chain';
import type { Store } from '@causeway/store';
import { SchedulerRegistry } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { AccountStage } from '../../dist/accounting/account-stage.js';
import type { BridgeChains } from '../../dist/bridge-chain.js';
import type { Configuration } from '../../dist/configuration.js';
import { Attesters } from '../../dist/exchange/attesters.js';
import type { Clock } from '../../dist/infrastructure.js';
import { RelayerMetrics } from '../../dist/metrics/relayer-metrics.js';
import { StageScheduler } from '../../dist/pipeline/scheduler.js';
import { RequestStage } from '../../dist/requests/request-stage.js';
import { BindStage } from '../../dist/stages/bind.js';
import { DeliverStage } from '../../dist/stages/deliver.js';
import { DeliveryPayments } from '../../dist/stages/delivery-payments.js';
import { FinalizeStage } from '../../dist/stages/finalize.js';
import { HoldStage } from '../../dist/stages/hold.js';
import { createObserveStage } from '../../dist/stages/observe.js';
import { OwedDeliveries } from '../../dist/stages/owed-deliveries.js';
import { RefundStage } from '../../dist/stages/refund/refund-stage.js';
import { RetireStage } from '../../dist/stages/retire.js';
import { SettleStage } from '../../dist/stages/settle.js';
import { SweepStage } from '../../dist/stages/sweep.js';
import { FollowCalls } from '../../dist/wallet/follow-calls.js';
import { Lanes } from '../../dist/wallet/lanes.js';
import { DeliveryWatch } from '../../dist/watch/delivery-watch.js';
import { SolvencyReader } from '../../dist/watch/solvency-reader.js';
import { SolvencyWatch } from '../../dist/watch/solvency-watch.js';
import { WalletGauges } from '../../dist/watch/wallet-gauges.js';
import { WatchStage } from '../../dist/watch/watch-stage.js';

/** The relayer's dependencies, behind its ports. */
export interface Surroundings {
  readonly chains: BridgeChains;
  readonly mirror: Mirror;
  readonly store: Store;
  readonly signer: Signer;
  readonly configuration: Configuration;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Shared by all simulated relayers: they are never scraped, and a registry is expensive to build. */
const metrics = new RelayerMetrics();

/** Restored copies are in e2e/drills. */
const gate = {
  isClosed: async () => false,
  mayWork: async () => true,
  maySign: () => true,
  isBlind: false,
  waitsFor: null,
};

/** Starts a relayer, composed like in `RelayerModule`. Only a crash ends it. */
export function startRelayer(surroundings: Surroundings): StageScheduler {
  const { chains, mirror, store, signer, configuration, clock, logger } = surroundings;
  const lanes = new Lanes(chains, store, signer, configuration, clock, logger, gate);
  const attesters = new Attesters(chains, store, configuration, clock, logger);
  const solvency = new SolvencyReader(chains, store, configuration, logger);
  const watch = new WatchStage(
    chains,
    store,
    clock,
    new DeliveryWatch(chains, store, configuration, clock, logger, metrics),
    new SolvencyWatch(solvency, store, logger, metrics),
    new WalletGauges(chains, store, configuration, clock, metrics),
    metrics,
  );
  const payments = new DeliveryPayments(store, configuration, lanes, solvency, attesters);
  const wallet = [chains, store, signer, configuration, clock, logger, lanes] as const;
  const stages = [
    createObserveStage('ethereum', { chains, store, configuration, logger }),
    createObserveStage('partner', { chains, store, configuration, logger }),
    new AccountStage({ chains, mirror, store, configuration, clock, logger, metrics }),
    new RequestStage(chains, store, configuration, clock, logger),
    new BindStage(chains, store, configuration, logger),
    new FinalizeStage(chains, store, configuration, logger),
    new HoldStage(chains, store, configuration, logger),
    new DeliverStage(chains, store, clock, logger, new OwedDeliveries(chains, store, configuration), payments),
    new FollowCalls(chains, store, configuration, logger, lanes, clock),
    new SettleStage(chains, store, configuration, logger),
    new RetireStage(...wallet),
    new SweepStage(...wallet),
    new RefundStage(...wallet, attesters),
    watch,
  ];
  const scheduler = new StageScheduler(
    stages,
    configuration,
    chains,
    store,
    clock,
    logger,
    null,
    new SchedulerRegistry(),
    gate,
  );
  scheduler.onApplicationBootstrap();
  return scheduler;
}
