import { Module, type DynamicModule } from '@nestjs/common';
import type { EmbeddedBackend } from '../backends/embedded/embedded-backend.js';
import { LimitsModule } from '../limits/limits.module.js';
import { ContractResultsController } from './contract-results.controller.js';
import { EMBEDDED_BACKEND } from './embedded-backend-token.js';

/** The mirror endpoints. Only a chain of our own has the call trees they show, so there are none in front of other nodes. */
@Module({})
export class MirrorModule {
  static from(backend: EmbeddedBackend): DynamicModule {
    return {
      module: MirrorModule,
      imports: [LimitsModule],
      controllers: [ContractResultsController],
      providers: [{ provide: EMBEDDED_BACKEND, useValue: backend }],
    };
  }
}
