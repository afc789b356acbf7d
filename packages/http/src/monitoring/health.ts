import { setTimeout as sleep } from 'node:timers/promises';

/** Whether a part of a service works. */
export interface ComponentHealth {
  readonly connected: boolean;
  /** How long it took to answer, in milliseconds; null when that is not measured. */
  readonly latencyMs: number | null;
  /** Of a part that does not work: a sentence. */
  readonly problem?: string | undefined;
}

/** The body of `/health/live` and `/health/ready`. */
export interface HealthReport {
  readonly status: 'healthy' | 'unhealthy';
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** The two questions of process managers and load balancers. Neither rejects: a part that fails is in the report. */
export interface HealthChecks {
  /** Whether the process works. When it does not, a restart helps. */
  live(): HealthReport | Promise<HealthReport>;
  /** Whether work should come here. When it should not, a restart does not help. */
  ready(): HealthReport | Promise<HealthReport>;
}

/** How long a part may take to answer, in milliseconds. */
const PROBE_TIMEOUT_MS = 2_000;

/** The whole is healthy when each part is. */
export function reportHealth(components: Readonly<Record<string, ComponentHealth>>): HealthReport {
  const isHealthy = Object.values(components).every(({ connected }) => connected);
  return { status: isHealthy ? 'healthy' : 'unhealthy', components };
}

/**
 * Checks a part. One that fails or does not answer within two seconds is not connected.
 *
 * @param check resolves with the time of its answer in milliseconds, or null. Only that it failed becomes public.
 */
export async function probe(check: () => Promise<number | null>): Promise<ComponentHealth> {
  const end = new AbortController();
  const away = { connected: false, latencyMs: null };
  try {
    return await Promise.race([
      check().then((latencyMs) => ({ connected: true, latencyMs })),
      sleep(PROBE_TIMEOUT_MS, away, { signal: end.signal }),
    ]);
  } catch {
    return away;
  } finally {
    end.abort();
  }
}
