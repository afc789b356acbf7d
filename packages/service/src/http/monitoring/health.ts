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

/** The health of a part that is judged without asking it. `problem`: null when it works. */
export function describePart(problem: string | null): ComponentHealth {
  return { connected: problem === null, latencyMs: null, ...(problem === null ? {} : { problem }) };
}

/** Waits for work, which itself goes on, for two seconds or `timeoutMs`. @throws Error when it takes longer. */
export async function finishInTime<T>(
  work: Promise<T>,
  timeoutMs = PROBE_TIMEOUT_MS,
  makeError: () => Error = () => new Error(`no answer in ${timeoutMs} ms`),
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(makeError()), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
