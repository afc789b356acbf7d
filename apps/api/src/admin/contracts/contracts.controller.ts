import { ADMIN_COMMANDS } from '@causeway/governance';
import { BridgeError } from '@causeway/protocol';
import { parseRequest } from '@causeway/protocol/rest';
import {
  EXECUTE_ANNOUNCED,
  prepareCallBodySchema,
  reportCallBodySchema,
  type ContractCallsResponse,
  type ContractsResponse,
  type PrepareCallResponse,
} from '@causeway/protocol/admin';
import type { Store } from '@causeway/store';
import { Body, Controller, Get, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { STORE } from '../../infrastructure.js';
import { Access, CurrentSession } from '../access/access.js';
import type { Session } from '../access/sessions.service.js';
import { ContractsService } from './contracts.service.js';
import { ReportedCalls } from './reported-calls.js';

const noParameters = z.strictObject({});

@Controller('api/v1/admin/contracts')
export class ContractsController {
  constructor(
    private readonly service: ContractsService,
    private readonly reported: ReportedCalls,
    @Inject(STORE) private readonly store: Pick<Store, 'adminAudit'>,
  ) {}

  /** `GET /contracts`: both contracts at one block of each chain, announced calls, and past changes. */
  @Get()
  @Access('viewer')
  async contracts(@Query() query: unknown): Promise<ContractsResponse> {
    parseRequest(noParameters, query);
    return this.service.read();
  }

  /** `GET /contracts/calls`: the calls of role holders, from the table that the command line uses. */
  @Get('calls')
  @Access('viewer')
  calls(@Query() query: unknown): ContractCallsResponse {
    parseRequest(noParameters, query);
    return {
      calls: ADMIN_COMMANDS.map(({ name: command, description, role, options }) => ({
        command,
        description,
        role,
        options: Object.entries(options).map(([name, option]) => ({
          name,
          description: option.description,
          isRequired: option.fallback === null,
          choices: option.choices === null ? null : [...option.choices],
          fallback: option.fallback,
        })),
      })),
    };
  }

  /** `POST /contracts/calls/prepare`: prepares the transactions of a call for the account that signs them. */
  @Post('calls/prepare')
  @HttpCode(200)
  @Access('operator')
  async prepare(@Body() body: unknown): Promise<PrepareCallResponse> {
    return this.service.prepare(parseRequest(prepareCallBodySchema, body));
  }

  /** `POST /contracts/calls/report`: records in the audit log which transactions the member claims to have sent. */
  @Post('calls/report')
  @HttpCode(204)
  @Access('operator')
  async report(@CurrentSession() session: Session, @Body() body: unknown): Promise<void> {
    const { command, reason, transactions } = parseRequest(reportCallBodySchema, body);
    if (command !== EXECUTE_ANNOUNCED && !ADMIN_COMMANDS.some(({ name }) => name === command)) {
      throw new BridgeError('VALIDATION_ERROR', 'command must be the name of a call', { field: 'command' });
    }
    await this.reported.check(transactions);
    await this.store.adminAudit.append({
      actor: session.address,
      role: session.role,
      sessionId: session.id,
      action: 'contract-call',
      after: { command, transactions },
      reason,
      txHash: transactions[0]?.txHash ?? null,
    });
  }
}
