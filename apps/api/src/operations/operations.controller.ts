import { parseRequest, statusQuerySchema, type BridgeOperationResponse } from '@causeway/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { OperationsService } from './operations.service.js';

@Controller('api/v1/bridge/status')
export class OperationsController {
  constructor(private readonly operations: OperationsService) {}

  /** `GET /bridge/status` (specification). */
  @Get()
  async status(@Query() query: unknown): Promise<BridgeOperationResponse> {
    return this.operations.status(parseRequest(statusQuerySchema, query));
  }
}
