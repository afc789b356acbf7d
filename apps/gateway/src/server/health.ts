import { describePart, reportHealth, type HealthChecks, type HealthReport } from '@causeway/service/http';
import type { Backend } from '../backends/backend.js';
import type { Route, RouteResponse } from './routes.js';

const HEADERS = { 'cache-control': 'no-store' };

/** Whether the gateway can answer calls, and whether it is shutting down. */
export class GatewayHealth implements HealthChecks {
  private draining = false;

  constructor(
    private readonly backend: Pick<Backend, 'status'>,
    private readonly version: string,
  ) {}

  /** Whether the process is shutting down: it still responds, but clients should connect elsewhere. */
  get isDraining(): boolean {
    return this.draining;
  }

  drain(): void {
    this.draining = true;
  }

  /** The process answers. */
  live(): HealthReport {
    return reportHealth({});
  }

  /** The chain is open and makes blocks, or a node can be used, and no shutdown has begun. */
  ready(): HealthReport {
    if (this.draining) return { status: 'unhealthy', components: {} };
    const { available, nodes } = this.backend.status();
    const problem = nodes.find((node) => node.problem !== null)?.problem ?? 'no node can be used';
    return reportHealth({ backend: describePart(available ? null : problem) });
  }

  /** `GET /health`: 200 while calls can be answered, even while the node is syncing; else 503 with the same body. */
  describe(): RouteResponse {
    const status = this.backend.status();
    const report = {
      status: status.available ? 'healthy' : 'unhealthy',
      version: this.version,
      uptimeSeconds: Math.floor(process.uptime()),
      backend: status,
    };
    return { status: status.available ? 200 : 503, headers: HEADERS, body: JSON.stringify(report) };
  }
}

/** `GET /health`, and the liveness and readiness checks for load balancers on the public port. */
export function healthRoutes(health: GatewayHealth): readonly Route[] {
  const send = (report: HealthReport): RouteResponse => ({
    status: report.status === 'healthy' ? 200 : 503,
    headers: HEADERS,
    body: JSON.stringify(report),
  });
  return [
    { path: /^\/health$/, answer: () => health.describe() },
    { path: /^\/health\/live$/, answer: () => send(health.live()) },
    { path: /^\/health\/ready$/, answer: () => send(health.ready()) },
  ];
}
