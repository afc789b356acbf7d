import type { Backend, BackendStatus } from '../backends/backend.js';
import type { Route } from '../server/routes.js';

/** The body of `GET /health`. */
interface HealthReport {
  readonly status: 'healthy' | 'unhealthy';
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly backend: BackendStatus;
}

/**
 * `GET /health`: 200 while calls can be answered, else 503 with the same body. A node that still catches up can answer
 * some calls and counts as healthy.
 */
export function healthRoute(backend: Backend, version: string): Route {
  return {
    path: /^\/health$/,
    answer: () => {
      const status = backend.status();
      const report: HealthReport = {
        status: status.available ? 'healthy' : 'unhealthy',
        version,
        uptimeSeconds: Math.floor(process.uptime()),
        backend: status,
      };
      const headers = { 'cache-control': 'no-store' };
      return { status: status.available ? 200 : 503, headers, body: JSON.stringify(report) };
    },
  };
}
