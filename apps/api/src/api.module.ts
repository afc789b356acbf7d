import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import type { Configuration } from './config/configuration.js';
import { HealthModule } from './health/health.module.js';
import { HistoryModule } from './history/history.module.js';
import { ErrorFilter } from './http/error.filter.js';
import { IntentsModule } from './intents/intents.module.js';
import { LimitsModule } from './limits/limits.module.js';
import { OperationsModule } from './operations/operations.module.js';
import { QuotesModule } from './quotes/quotes.module.js';
import { InfrastructureModule } from './infra/infrastructure.module.js';

/** The public REST API. */
@Module({})
export class ApiModule {
  static from(configuration: Configuration): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        LoggerModule.forRoot({
          pinoHttp: { level: configuration.logLevel, base: { service: 'api' }, autoLogging: false },
        }),
        InfrastructureModule.from(configuration),
        OperationsModule,
        HistoryModule,
        QuotesModule,
        LimitsModule,
        IntentsModule,
        HealthModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: ErrorFilter }],
    };
  }
}
