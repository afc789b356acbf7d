import { historyQuerySchema, parseRequest, type HistoryResponse } from '@causeway/protocol';
import type { Store } from '@causeway/store';
import { Controller, Get, Inject, Query } from '@nestjs/common';
import type { Configuration } from '../config/configuration.js';
import { toOperationResponse } from '../operations/to-operation-response.js';
import { CONFIGURATION, STORE } from '../infra/injection-tokens.js';

@Controller('api/v1/bridge/history')
export class HistoryController {
  constructor(
    @Inject(STORE) private readonly store: Store,
    @Inject(CONFIGURATION) private readonly configuration: Configuration,
  ) {}

  /** `GET /bridge/history` (specification). */
  @Get()
  async history(@Query() query: unknown): Promise<HistoryResponse> {
    const { address, limit, offset, direction = null } = parseRequest(historyQuerySchema, query);
    const page = await this.store.history.page({ address, limit, offset, direction });
    const now = Date.now();
    return {
      operations: page.operations.map((operation) => toOperationResponse(operation, this.configuration.timing, now)),
      pagination: { limit, offset, hasMore: page.hasMore },
    };
  }
}
