import {
  historyQuerySchema,
  parseRequest,
  statusQuerySchema,
  type BridgeOperationResponse,
  type HistoryResponse,
} from '@causeway/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { OperationsService } from './operations.service.js';

@Controller('api/v1/bridge')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  /** `GET /bridge/status` (specification). */
  @Get('status')
  async status(@Query() query: unknown): Promise<BridgeOperationResponse> {
    return this.operations.status(parseRequest(statusQuerySchema, query));
  }

  /** `GET /bridge/history` (specification). */
  @Get('history')
  async history(@Query() query: unknown): Promise<HistoryResponse> {
    return this.operations.history(parseRequest(historyQuerySchema, query));
  }
}
