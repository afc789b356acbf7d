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
  try {
    return { connected: true, latencyMs: await finishInTime(check()) };
  } catch {
    return { connected: false, latencyMs: null };
  }
}

/** Waits for two seconds at most. @throws Error when it takes longer. */
export async function finishInTime<T>(work: Promise<T>): Promise<T> {
  const end = new AbortController();
  const late = sleep(PROBE_TIMEOUT_MS, undefined, { signal: end.signal }).then(() => {
    throw new Error(`no answer in ${PROBE_TIMEOUT_MS} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    end.abort();
  }
}
