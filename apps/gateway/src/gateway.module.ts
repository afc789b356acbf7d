import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Logger } from 'pino';
import { BACKEND } from './backend-token.js';
import type { Backend } from './backends/backend.js';
import { CONFIGURATION, type Configuration } from './config/configuration.js';
import { LOGGER } from './config/logger.js';
import { HealthModule } from './health/health.module.js';
import { METHODS, type Methods } from './jsonrpc/methods.js';
import { TransportModule } from './transport/transport.module.js';

/** What the gateway is made with besides its configuration and its backend. */
export interface GatewayOptions {
  readonly methods: Methods;
  readonly logger: Logger;
  /** Further modules; they can inject CONFIGURATION, BACKEND, METHODS and LOGGER. */
  readonly modules?: NonNullable<ModuleMetadata['imports']>;
}

/** The JSON-RPC gateway. */
@Module({})
export class GatewayModule {
  static from(configuration: Configuration, backend: Backend, options: GatewayOptions): DynamicModule {
    const { methods, logger, modules = [] } = options;
    return {
      module: GatewayModule,
      global: true,
      imports: [
        // No middleware: a call is not to pay for a logger of its own.
        LoggerModule.forRoot({ pinoHttp: { logger }, forRoutes: [] }),
        TransportModule,
        HealthModule,
        ...modules,
      ],
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        { provide: BACKEND, useValue: backend },
        { provide: METHODS, useValue: methods },
        { provide: LOGGER, useValue: logger },
      ],
      exports: [CONFIGURATION, BACKEND, METHODS, LOGGER],
    };
  }
}
