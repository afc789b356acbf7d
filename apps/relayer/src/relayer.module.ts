import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { InfrastructureModule, type Infrastructure } from './infrastructure.js';
import { STAGES, StageScheduler, type Stage } from './pipeline/scheduler.js';
import { BindStage } from './stages/bind.js';
import { DeliverStage } from './stages/deliver.js';
import { FinalizeStage } from './stages/finalize.js';
import { HoldStage } from './stages/hold.js';
import { ObserveStage } from './stages/observe.js';
import { RetireStage } from './stages/retire.js';
import { SettleStage } from './stages/settle.js';
import { SweepStage } from './stages/sweep.js';
import { FollowDeliveries } from './wallet/follow-deliveries.js';
import { FollowUpkeep } from './wallet/follow-upkeep.js';

/** In the order in which an operation passes them. */
const PIPELINE = [
  ObserveStage,
  BindStage,
  FinalizeStage,
  HoldStage,
  DeliverStage,
  FollowDeliveries,
  SettleStage,
  RetireStage,
  SweepStage,
];

/** The composition root of the service: the stages and their scheduler. */
@Module({})
export class RelayerModule {
  static from(infrastructure: Infrastructure): DynamicModule {
    return {
      module: RelayerModule,
      imports: [ScheduleModule.forRoot(), InfrastructureModule.from(infrastructure)],
      providers: [
        ...PIPELINE,
        FollowUpkeep,
        { provide: STAGES, useFactory: (...stages: Stage[]) => stages, inject: PIPELINE },
        StageScheduler,
      ],
    };
  }
}
