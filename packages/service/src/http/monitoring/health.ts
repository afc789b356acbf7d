/** Health of a part of a service. */
export interface ComponentHealth {
  readonly connected: boolean;
  /** Response time in milliseconds; null if not measured. */
  readonly latencyMs: number | null;
  /** Why the part does not work, in a sentence. */
  readonly problem?: string | undefined;
}

/** The body of `/health/live` and `/health/ready`. */
export interface HealthReport {
  readonly status: 'healthy' | 'unhealthy';
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** Checks for process managers and load balancers. They never reject: the report contains failed parts. */
export interface HealthChecks {
  /** Whether the process works; if not, restart it. */
  live(): HealthReport | Promise<HealthReport>;
  /** Whether to route work here; if not, a restart does not help. */
  ready(): HealthReport | Promise<HealthReport>;
}

/** Response timeout of a part. */
const PROBE_TIMEOUT_MS = 2_000;

/** Reports healthy if every part is. */
export function reportHealth(components: Readonly<Record<string, ComponentHealth>>): HealthReport {
  const isHealthy = Object.values(components).every(({ connected }) => connected);
  return { status: isHealthy ? 'healthy' : 'unhealthy', components };
}

/**
 * Checks a part. A part that fails or does not respond within two seconds is reported as not connected.
 *
 * @param check resolves with the response time in milliseconds, or null. The report hides why it failed.
 */
export async function probe(check: () => Promise<number | null>): Promise<ComponentHealth> {
  try {
    return { connected: true, latencyMs: await finishInTime(check()) };
  } catch {
    return { connected: false, latencyMs: null };
  }
}

/** Describes a part that is judged without a request. `problem`: null if it works. */
export function describePart(problem: string | null): ComponentHealth {
  return { connected: problem === null, latencyMs: null, ...(problem === null ? {} : { problem }) };
}

/** Waits for work for two seconds or `timeoutMs`, without cancelling it. @throws Error on timeout. */
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
