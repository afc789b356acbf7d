import { createLog } from '@causeway/service/http';
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { ChainLife } from '../chain-life.js';
import type { Configuration } from '../configuration.js';
import { adminStoreProviders, CONFIGURATION } from '../infrastructure.js';
import { OnChainParameters } from '../on-chain-parameters.js';
import { OperationAnswers } from '../operations/operation-answers.js';
import { OperationReads } from '../operations/operation-reads.js';
import { PayableWallets } from '../payable-wallets.js';
import { RelayerLife } from '../relayer-life.js';
import { serverProviders } from '../server/http-server.js';
import { AccessCheck } from './access/access.js';
import { MembersService } from './access/members.service.js';
import { SessionController } from './access/session.controller.js';
import { SessionsService } from './access/sessions.service.js';
import { SignInController } from './access/sign-in.controller.js';
import { SignInService } from './access/sign-in.service.js';
import { ConsoleController } from './console.controller.js';
import { ContractsController } from './contracts/contracts.controller.js';
import { ContractsService } from './contracts/contracts.service.js';
import { ReportedCalls } from './contracts/reported-calls.js';
import { ConsoleFeed } from './events/console-feed.js';
import { AdminEventsController } from './events/events.controller.js';
import { AuditController } from './reads/audit.controller.js';
import { CsvFiles } from './reads/csv.js';
import { AdminListsController } from './reads/lists.controller.js';
import { OperationRecordService } from './reads/operation-record.service.js';
import { OperationSearch } from './reads/operation-search.js';
import { AdminOperationsController } from './reads/operations.controller.js';
import { OverviewController } from './reads/overview.controller.js';
import { StateController } from './reads/state.controller.js';
import { RequestsController } from './requests/requests.controller.js';
import { RequestsService } from './requests/requests.service.js';

/**
 * The admin API under `api/v1/admin`. The server does not start if a route lacks `@Access`. It shares the nodes of the
 * public API, and has its own database connections and server configuration.
 */
@Module({})
export class AdminModule {
  /** @param values providers of the public API that replace those of this module, and the console's files. */
  static from(configuration: Configuration, values: readonly Provider[]): DynamicModule {
    const { logLevel } = configuration;
    return {
      module: AdminModule,
      imports: [
        LoggerModule.forRoot({
          pinoHttp: { logger: createLog('admin', logLevel) },
          forRoutes: [],
        }),
      ],
      controllers: [
        SignInController,
        SessionController,
        OverviewController,
        AdminOperationsController,
        AdminListsController,
        StateController,
        AuditController,
        AdminEventsController,
        ContractsController,
        RequestsController,
        ConsoleController,
      ],
      providers: [
        { provide: CONFIGURATION, useValue: configuration },
        ...serverProviders(configuration),
        ...adminStoreProviders(configuration),
        ...values,
        AccessCheck,
        MembersService,
        SessionsService,
        SignInService,
        ContractsService,
        ReportedCalls,
        OnChainParameters,
        PayableWallets,
        RelayerLife,
        ChainLife,
        OperationAnswers,
        OperationReads,
        OperationSearch,
        ConsoleFeed,
        CsvFiles,
        OperationRecordService,
        RequestsService,
      ],
    };
  }
}
