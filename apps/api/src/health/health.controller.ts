import type { HealthResponse } from '@causeway/protocol';
import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { HealthService } from './health.service.js';

@Controller(['health', 'api/v1/health'])
export class HealthController {
  constructor(private readonly service: HealthService) {}

  /** `GET /health` (specification): 503 with the same body when a component is down. */
  @Get()
  async health(@Res({ passthrough: true }) reply: FastifyReply): Promise<HealthResponse> {
    const report = await this.service.check();
    reply.status(report.status === 'healthy' ? 200 : 503);
    return report;
  }
}
