import type { PartnerChain } from '@causeway/partner-chain';
import { Module, type DynamicModule } from '@nestjs/common';
import { LimitsModule } from '../limits/limits.module.js';
import { ContractResultsController } from './contract-results.controller.js';
import { PARTNER_CHAIN } from './partner-chain-token.js';

/** The mirror endpoints. Only a chain of our own has the call trees they show, so there are none in front of other nodes. */
@Module({})
export class MirrorModule {
  static from(chain: PartnerChain): DynamicModule {
    return {
      module: MirrorModule,
      imports: [LimitsModule],
      controllers: [ContractResultsController],
      providers: [{ provide: PARTNER_CHAIN, useValue: chain }],
    };
  }
}
