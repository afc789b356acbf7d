/** Exit code for an invalid configuration: EX_CONFIG of sysexits.h. A restart does not help. */
export const EX_CONFIG = 78;

/**
 * An invalid configuration. The message has a title and one line per problem. The problems come last because the stack
 * shows the last line of a failed process.
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly exitCode = EX_CONFIG;
  constructor(
    readonly problems: readonly string[],
    options?: ErrorOptions,
  ) {
    super(['The configuration is invalid (--help lists all variables):', ...problems].join('\n'), options);
  }
}

/** Describes an error to an operator. A refused connection to a host with several addresses has no message. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(describeError).join(', ') : error.name;
}

/** Returns the exit code for an error: its own, or 1. */
export function getExitCode(error: unknown): number {
  return error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number' ? error.exitCode : 1;
}

/**
 * Reads several parts of a configuration, so that one run reports the problems of all parts.
 *
 * @throws ConfigurationError with the problems of all parts.
 */
export function readEach<P extends Readonly<Record<string, unknown>>>(parts: {
  readonly [K in keyof P]: () => P[K];
}): P {
  const problems: string[] = [];
  const entries = Object.entries<() => unknown>(parts).map(([name, read]) => {
    try {
      return [name, read()];
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return [name, undefined];
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return Object.fromEntries(entries) as P;
}
