import { ConfigurationError } from '../configuration/configuration-error.js';
import { finishInTime } from '../http/monitoring/health.js';
import { describeProblem } from './describe-problem.js';
import { error, type Finding } from './finding.js';

/** Timeout of one check, so that a hanging part cannot block the report. */
const LONGEST_MS = 120_000;

type Findings<C extends string> = readonly Finding<C>[];

/**
 * Runs checks in parallel.
 *
 * @param checks by subject.
 * @returns their findings, in the same order.
 */
export async function runChecks<C extends string>(
  checks: Readonly<Partial<Record<C, () => Findings<C> | Promise<Findings<C>>>>>,
): Promise<Findings<C>> {
  const named = Object.entries(checks) as [C, () => Findings<C> | Promise<Findings<C>>][];
  const found = named.map(([check, run]) =>
    runCheck(check, 'the check itself failed', 'run doctor again and report a bug if the check keeps failing', run),
  );
  return (await Promise.all(found)).flat();
}

/**
 * Runs a check. An exception or a timeout becomes an error finding.
 *
 * @param subject beginning of the sentence about a failure.
 * @param nextStep the remedy of a failure.
 */
export async function runCheck<C extends string>(
  check: C,
  subject: string,
  nextStep: string,
  run: () => Findings<C> | Promise<Findings<C>>,
  longestMs = LONGEST_MS,
): Promise<Findings<C>> {
  try {
    return await finishInTime((async () => run())(), longestMs);
  } catch (problem) {
    return [error(check, `${subject}: ${describeProblem(problem)}`, nextStep)];
  }
}

/**
 * Returns one finding per problem of an invalid configuration.
 *
 * @throws unknown any other error.
 */
export function judgeConfiguration<C extends string>(check: C, problem: unknown, nextStep: string): Findings<C> {
  if (!(problem instanceof ConfigurationError)) throw problem;
  return problem.problems.map((line) => error(check, line, nextStep));
}
