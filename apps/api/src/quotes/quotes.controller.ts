import { feeQuoteQuerySchema, parseRequest, type FeeQuoteResponse } from '@causeway/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { QuotesService } from './quotes.service.js';

@Controller('api/v1/bridge/fee-quote')
export class QuotesController {
  constructor(private readonly quotes: QuotesService) {}

  /** `GET /bridge/fee-quote` (specification). */
  @Get()
  async quote(@Query() query: unknown): Promise<FeeQuoteResponse> {
    return this.quotes.quote(parseRequest(feeQuoteQuerySchema, query));
  }
}
