import type { Mirror } from '@causeway/chain';
import type { Store } from '@causeway/store';
import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Logger } from 'pino';
import { AccountStage } from './accounting/account-stage.js';
import type { BridgeChains } from './bridge-chain.js';
import type { Configuration } from './configuration.js';
import {
  CHAINS,
  CLOCK,
  CONFIGURATION,
  InfrastructureModule,
  LOGGER,
  MIRROR,
  STORE,
  type Clock,
  type Infrastructure,
} from './infrastructure.js';
import { Attesters } from './exchange/attesters.js';
import { ExchangeListener } from './exchange/exchange-listener.js';
import { ExchangeStage } from './exchange/exchange-stage.js';
import { ReservesStage } from './exchange/reserves-stage.js';
import { MetricsCollector } from './metrics/collector.js';
import { MetricsListener } from './metrics/metrics-listener.js';
import { RelayerHealth } from './metrics/relayer-health.js';
import { RelayerMetrics } from './metrics/relayer-metrics.js';
import { Notifiers } from './notifications/notifiers.js';
import { ReconcileGate } from './pipeline/reconcile-gate.js';
import { STAGES, StageScheduler, type Stage } from './pipeline/scheduler.js';
import { RequestStage } from './requests/request-stage.js';
import { BindStage } from './stages/bind.js';
import { RetentionStage } from './stages/retention.js';
import { DeliverStage } from './stages/deliver.js';
import { DeliveryPayments } from './stages/delivery-payments.js';
import { FinalizeStage } from './stages/finalize.js';
import { HoldStage } from './stages/hold.js';
import { createObserveStage } from './stages/observe.js';
import { OwedDeliveries } from './stages/owed-deliveries.js';
import { RefundStage } from './stages/refund/refund-stage.js';
import { RetireStage } from './stages/retire.js';
import { SettleStage } from './stages/settle.js';
import { SweepStage } from './stages/sweep.js';
import { FollowCalls } from './wallet/follow-calls.js';
import { Lanes } from './wallet/lanes.js';
import { DeliveryWatch } from './watch/delivery-watch.js';
import { SolvencyReader } from './watch/solvency-reader.js';
import { SolvencyWatch } from './watch/solvency-watch.js';
import { WalletGauges } from './watch/wallet-gauges.js';
import { WatchStage } from './watch/watch-stage.js';

/** A stage for each chain, so that neither waits for the other. */
const OBSERVERS = (['ethereum', 'partner'] as const).map((side) => ({
  provide: `observe-${side}`,
  useFactory: (chains: BridgeChains, store: Store, configuration: Configuration, logger: Logger) =>
    createObserveStage(side, { chains, store, configuration, logger }),
  inject: [CHAINS, STORE, CONFIGURATION, LOGGER],
}));

/** Runs after the observers and before transfers are bound. */
const ACCOUNT = {
  provide: AccountStage,
  useFactory: (
    chains: BridgeChains,
    store: Store,
    configuration: Configuration,
    logger: Logger,
    clock: Clock,
    mirror: Mirror | null,
    metrics: RelayerMetrics,
  ) => new AccountStage({ chains, store, configuration, logger, clock, mirror, metrics }),
  inject: [CHAINS, STORE, CONFIGURATION, LOGGER, CLOCK, MIRROR, RelayerMetrics],
};

/** The other stages: operators' requests first, then the stages of an operation in order. */
const PIPELINE = [
  RequestStage,
  BindStage,
  ExchangeStage,
  FinalizeStage,
  HoldStage,
  DeliverStage,
  FollowCalls,
  SettleStage,
  RetireStage,
  SweepStage,
  RefundStage,
  WatchStage,
  ReservesStage,
  RetentionStage,
];

/** The parts of the watch and the metrics. */
const WATCH = [
  DeliveryWatch,
  SolvencyReader,
  SolvencyWatch,
  WalletGauges,
  RelayerMetrics,
  MetricsCollector,
  RelayerHealth,
  MetricsListener,
];

/** The composition root of the service: the stages and their scheduler. */
@Module({})
export class RelayerModule {
  static from(infrastructure: Infrastructure): DynamicModule {
    return {
      module: RelayerModule,
      imports: [ScheduleModule.forRoot(), InfrastructureModule.from(infrastructure)],
      providers: [
        ...OBSERVERS,
        ACCOUNT,
        ...PIPELINE,
        ...WATCH,
        OwedDeliveries,
        DeliveryPayments,
        Lanes,
        Attesters,
        ExchangeListener,
        Notifiers,
        {
          provide: STAGES,
          useFactory: ({ stages }: Notifiers, ...pipeline: Stage[]) => [...pipeline, ...stages],
          inject: [Notifiers, ...OBSERVERS.map(({ provide }) => provide), AccountStage, ...PIPELINE],
        },
        ReconcileGate,
        StageScheduler,
      ],
    };
  }
}
