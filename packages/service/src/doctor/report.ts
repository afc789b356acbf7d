import type { Finding, Severity } from './finding.js';

/** The report of a doctor, printed by `--json`. */
export interface Report {
  /** Time of the report, ISO 8601. */
  readonly at: string;
  /** Exit code of the command: 1 with an error; otherwise 2 while a step is still to be done; otherwise 0. */
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

/** Formats a report as JSON, or as one line per finding and a summary. */
export function formatReport(report: Report, json: boolean): string {
  if (json) return JSON.stringify(report, null, 2);
  return [...report.findings.map(formatFinding), countFindings(report)].join('\n');
}

/** Formats a finding as one line. */
export function formatFinding({ severity, check, finding, nextStep }: Finding): string {
  const next = nextStep === null ? '' : ` -> ${nextStep}`;
  return `${severity.padEnd(8)} ${check.padEnd(13)} ${finding}${next}`;
}

/** Formats the summary line of a report. */
export function countFindings({ findings }: Report): string {
  const notYet = count(findings, 'not yet');
  const errors = `${count(findings, 'error')} errors, ${count(findings, 'warning')} warnings`;
  return notYet === 0 ? errors : `${errors}, ${notYet} not yet`;
}

function count(findings: readonly Finding[], severity: Severity): number {
  return findings.filter((each) => each.severity === severity).length;
}
