import { Module, type DynamicModule, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Filters } from '../filters/filters.js';
import { GatewayMetrics } from '../metrics/gateway-metrics.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { OpenRpcController } from '../open-rpc/open-rpc.controller.js';
import { Subscriptions } from '../subscriptions/subscriptions.js';
import type { CreatedMethods } from './create-methods.js';

/** Serves the OpenRPC document at /openrpc.json, counts filters and subscriptions among the metrics, and ends the filters with the gateway. */
@Module({})
export class MethodsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly filters: Filters,
    private readonly subscriptions: Subscriptions,
    private readonly metrics: GatewayMetrics,
  ) {}

  static from({ filters, subscriptions }: CreatedMethods): DynamicModule {
    return {
      module: MethodsModule,
      imports: [MetricsModule],
      controllers: [OpenRpcController],
      providers: [
        { provide: Filters, useValue: filters },
        { provide: Subscriptions, useValue: subscriptions },
      ],
    };
  }

  onModuleInit(): void {
    this.metrics.watch('filters', 'Filters that are polled', () => this.filters.count());
    this.metrics.watch('subscriptions', 'Subscriptions of WebSocket clients', () => this.subscriptions.count());
  }

  onApplicationShutdown(): void {
    this.filters.close();
  }
}
