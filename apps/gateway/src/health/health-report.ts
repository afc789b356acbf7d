import type { BackendStatus } from '../backends/backend.js';
import { VERSION } from '../config/version.js';

/** What `GET /health` answers. */
export interface HealthReport {
  readonly status: 'healthy' | 'unhealthy';
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly backend: BackendStatus;
}

/** The gateway is healthy when it can answer calls; a node that is still catching up can answer some and counts. */
export function healthReport(backend: BackendStatus, uptimeSeconds: number): HealthReport {
  return {
    status: backend.available ? 'healthy' : 'unhealthy',
    version: VERSION,
    uptimeSeconds: Math.floor(uptimeSeconds),
    backend,
  };
}
