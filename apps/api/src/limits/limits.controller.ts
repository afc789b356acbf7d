import { parseRequest, type LimitsResponse } from '@causeway/protocol';
import { Controller, Get, Header, Query } from '@nestjs/common';
import { z } from 'zod';
import { LimitsService } from './limits.service.js';

const noParameters = z.strictObject({});

@Controller('api/v1/bridge/limits')
export class LimitsController {
  constructor(private readonly service: LimitsService) {}

  /** `GET /bridge/limits` (specification). */
  @Get()
  @Header('Cache-Control', 'public, max-age=180')
  async limits(@Query() query: unknown): Promise<LimitsResponse> {
    parseRequest(noParameters, query);
    return this.service.limits();
  }
}
