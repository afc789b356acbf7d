import type { Finding, Severity } from './finding.js';

/** The report of a doctor, as `--json` prints it. */
export interface Report {
  /** When it was made, in ISO 8601. */
  readonly at: string;
  /** The exit code of the command: 1 with an error, else 2 when something is still to be made, else 0. */
  readonly exitCode: 0 | 1 | 2;
  readonly findings: readonly Finding[];
}

/**
 * Makes a report of findings.
 *
 * @param order the checks in the order of the report.
 * @param nowMs epoch milliseconds.
 */
export function makeReport<C extends string>(
  findings: readonly Finding<NoInfer<C>>[],
  order: readonly C[],
  nowMs: number,
): Report {
  return {
    at: new Date(nowMs).toISOString(),
    exitCode: getExitCode(findings),
    findings: findings.toSorted((a, b) => order.indexOf(a.check) - order.indexOf(b.check)),
  };
}

function getExitCode(findings: readonly Finding[]): Report['exitCode'] {
  if (count(findings, 'error') > 0) return 1;
  return count(findings, 'not yet') > 0 ? 2 : 0;
}

/** The report as JSON, or as a line for each finding and one that counts them. */
export function formatReport(report: Report, json: boolean): string {
  if (json) return JSON.stringify(report, null, 2);
  return [...report.findings.map(formatFinding), countFindings(report)].join('\n');
}

/** The line of a finding. */
export function formatFinding({ severity, check, finding, nextStep }: Finding): string {
  const next = nextStep === null ? '' : ` -> ${nextStep}`;
  return `${severity.padEnd(8)} ${check.padEnd(13)} ${finding}${next}`;
}

/** The last line of a report. */
export function countFindings({ findings }: Report): string {
  const notYet = count(findings, 'not yet');
  const errors = `${count(findings, 'error')} errors, ${count(findings, 'warning')} warnings`;
  return notYet === 0 ? errors : `${errors}, ${notYet} not yet`;
}

function count(findings: readonly Finding[], severity: Severity): number {
  return findings.filter((each) => each.severity === severity).length;
}
