import { createLog } from '@causeway/service/http';
import { Module, type DynamicModule } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import type { Configuration } from './configuration.js';
import { ChainLife } from './chain-life.js';
import { DOCS_SITE, DocsController, readSite } from './docs-site.js';
import { Announcements } from './contracts/announcements.js';
import { BridgeStateService } from './contracts/bridge-state.service.js';
import { ContractEvents } from './contracts/contract-events.js';
import { ChangeFeed } from './events/change-feed.js';
import { EventsController, EventsService } from './events/events.js';
import { ChainFacts } from './explain/chain-facts.js';
import { ExplainController, ExplainService } from './explain/explain.js';
import { HealthController, HealthService } from './health.js';
import { MetricsListener } from './metrics-listener.js';
import { infrastructureProviders } from './infrastructure.js';
import { BindOriginService } from './intents/bind-origin.service.js';
import { OriginPaymentsReader } from './intents/origin-payments.js';
import { IntentsController } from './intents/intents.controller.js';
import { RegisterIntentService } from './intents/register-intent.service.js';
import { OnChainParameters } from './on-chain-parameters.js';
import { OpenApiController } from './openapi/openapi.controller.js';
import { ReferenceController, RootController } from './openapi/reference.controller.js';
import { OperationAnswers } from './operations/operation-answers.js';
import { OperationReads } from './operations/operation-reads.js';
import { OperationsController, OperationsService } from './operations/operations.js';
import { ConfigController } from './quotes/config.js';
import { DeliverabilityService } from './quotes/deliverability.js';
import { LimitsController, LimitsService } from './quotes/limits.js';
import { QuotesController, QuotesService } from './quotes/quotes.js';
import { TransferFactsReader } from './quotes/transfer-facts.js';
import { TransactionsController, TransactionsService } from './quotes/transactions.js';
import { RefundsController } from './refunds.js';
import { PayableWallets } from './payable-wallets.js';
import { RelayerLife } from './relayer-life.js';
import { serverProviders } from './server/http-server.js';
import { nameTrace } from './server/tracing.js';
import { ReservesController } from './state/reserves.js';
import { StateController, StateService } from './state/state.js';
import { PreviewService } from './web/preview.js';
import { WebController } from './web/web.controller.js';
import { readWebPage, WEB_PAGE } from './web/web-page.js';

/** The public REST API: all controllers and services. */
@Module({})
export class ApiModule {
  static from(configuration: Configuration): DynamicModule {
    const { docsFolder, webFolder, logLevel } = configuration;
    return {
      module: ApiModule,
      // Without its middleware: the error filter logs the request id, and a logger per request is expensive.
      imports: [
        LoggerModule.forRoot({
          pinoHttp: { logger: createLog('api', logLevel, { mixin: nameTrace }) },
          forRoutes: [],
        }),
      ],
      controllers: [
        OperationsController,
        EventsController,
        ExplainController,
        IntentsController,
        RefundsController,
        ConfigController,
        QuotesController,
        TransactionsController,
        LimitsController,
        StateController,
        ReservesController,
        HealthController,
        OpenApiController,
        ReferenceController,
        ...(docsFolder === null ? [] : [DocsController]),
        webFolder === null ? RootController : WebController,
      ],
      providers: [
        ...infrastructureProviders(configuration),
        ...serverProviders(configuration),
        OnChainParameters,
        DeliverabilityService,
        PayableWallets,
        RelayerLife,
        ChainLife,
        OperationAnswers,
        OperationReads,
        OperationsService,
        ChangeFeed,
        EventsService,
        ChainFacts,
        ExplainService,
        RegisterIntentService,
        OriginPaymentsReader,
        BindOriginService,
        TransferFactsReader,
        QuotesService,
        TransactionsService,
        LimitsService,
        HealthService,
        ContractEvents,
        BridgeStateService,
        Announcements,
        StateService,
        MetricsListener,
        ...(docsFolder === null ? [] : [{ provide: DOCS_SITE, useValue: readSite(docsFolder) }]),
        ...(webFolder === null ? [] : [{ provide: WEB_PAGE, useValue: readWebPage(webFolder) }, PreviewService]),
      ],
    };
  }
}
