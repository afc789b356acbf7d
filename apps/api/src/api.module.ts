import { Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { LoggerModule } from 'nestjs-pino';
import type { Configuration } from './config/configuration.js';
import { HealthController } from './health/health.controller.js';
import { HealthService } from './health/health.service.js';
import { ErrorFilter } from './http/error.filter.js';
import { InfrastructureModule } from './infra/infrastructure.module.js';
import { BindOriginService } from './intents/bind-origin.service.js';
import { IntentsController } from './intents/intents.controller.js';
import { RegisterIntentService } from './intents/register-intent.service.js';
import { LimitsController } from './limits/limits.controller.js';
import { LimitsService } from './limits/limits.service.js';
import { OperationsController } from './operations/operations.controller.js';
import { OperationsService } from './operations/operations.service.js';
import { QuotesController } from './quotes/quotes.controller.js';
import { QuotesService } from './quotes/quotes.service.js';

/** The public REST API: every feature's controller and services. */
@Module({})
export class ApiModule {
  static from(configuration: Configuration): DynamicModule {
    const { logLevel } = configuration;
    return {
      module: ApiModule,
      imports: [
        LoggerModule.forRoot({ pinoHttp: { level: logLevel, base: { service: 'api' }, autoLogging: false } }),
        InfrastructureModule.from(configuration),
      ],
      controllers: [OperationsController, IntentsController, QuotesController, LimitsController, HealthController],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        OperationsService,
        RegisterIntentService,
        BindOriginService,
        QuotesService,
        LimitsService,
        HealthService,
      ],
    };
  }
}
