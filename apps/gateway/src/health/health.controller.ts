import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { BACKEND } from '../backend-token.js';
import type { Backend } from '../backends/backend.js';
import { healthReport, type HealthReport } from './health-report.js';

@Controller('health')
export class HealthController {
  constructor(@Inject(BACKEND) private readonly backend: Backend) {}

  /** `GET /health`: 200 while calls can be answered, else 503 with the same body. */
  @Get()
  health(@Res({ passthrough: true }) reply: FastifyReply): HealthReport {
    const report = healthReport(this.backend.status(), process.uptime());
    reply.status(report.status === 'healthy' ? 200 : 503).header('cache-control', 'no-store');
    return report;
  }
}
