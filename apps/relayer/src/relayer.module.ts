import { Module, type DynamicModule } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import { BindStage } from './bind/bind.stage.js';
import type { Configuration } from './config/configuration.js';
import { DeliverStage } from './deliver/deliver.stage.js';
import { FollowStage } from './deliver/follow.stage.js';
import { FinalizeStage } from './finalize/finalize.stage.js';
import { HoldStage } from './hold/hold.stage.js';
import { ObserveStage } from './observe/observe.stage.js';
import { FollowRetirements } from './retire/follow-retirements.js';
import { RetireStage } from './retire/retire.stage.js';
import type { Stage } from './schedule/stage.js';
import { STAGES, StageScheduler } from './schedule/stage-scheduler.js';
import { SettleStage } from './settle/settle.stage.js';
import { WorldModule } from './world/world.module.js';

/** In the order of an operation's way. */
const PIPELINE = [
  ObserveStage,
  BindStage,
  FinalizeStage,
  HoldStage,
  DeliverStage,
  FollowStage,
  SettleStage,
  RetireStage,
];

/** The relayer: the stages of the pipeline and what runs them. */
@Module({})
export class RelayerModule {
  static from(configuration: Configuration): DynamicModule {
    return {
      module: RelayerModule,
      imports: [ScheduleModule.forRoot(), WorldModule.from(configuration)],
      providers: [
        ...PIPELINE,
        FollowRetirements,
        { provide: STAGES, useFactory: (...stages: Stage[]) => stages, inject: PIPELINE },
        StageScheduler,
      ],
    };
  }
}
