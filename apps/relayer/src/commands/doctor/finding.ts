/** The subjects of findings, in the order of the report. */
const CHECKS = [
  'configuration',
  'signer',
  'nodes',
  'clock',
  'contracts',
  'keys',
  'pauses',
  'attesters',
  'listing',
  'database',
  'balances',
] as const;

/** The subject of a finding. */
export type Check = (typeof CHECKS)[number];

/** One line of the report. With an `error` the relayer does not work, or not safely. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly check: Check;
  readonly finding: string;
  /** The remedy. Null when nothing is to be done. */
  readonly action: string | null;
}

/** Creates a finding that needs no action. */
export const ok = (check: Check, finding: string): Finding => ({ level: 'ok', check, finding, action: null });

/** Creates a finding with which the relayer works, and which an operator should mend. */
export const warning = (check: Check, finding: string, action: string): Finding => ({
  level: 'warning',
  check,
  finding,
  action,
});

/** Creates a finding with which the relayer does not work, or not safely. */
export const error = (check: Check, finding: string, action: string): Finding => ({
  level: 'error',
  check,
  finding,
  action,
});

/** Something that was read, or why it could not be read. */
export type Fact<T> =
  | { readonly ok: true; readonly value: T }
  /** `isThrottled`: the node refused because this process sends too many requests. */
  | { readonly ok: false; readonly reason: string; readonly isThrottled?: boolean };

/** Whether no finding is an error. */
export function isHealthy(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level !== 'error');
}

/** Formats the report: a line for each finding, and one that counts them. */
export function formatReport(findings: readonly Finding[]): string {
  const lines = sorted(findings).map(({ level, check, finding, action }) => {
    const todo = action === null ? '' : ` -> ${action}`;
    return `${level.padEnd(8)} ${check.padEnd(13)} ${finding}${todo}`;
  });
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return [...lines, `${count('error')} errors, ${count('warning')} warnings`].join('\n');
}

/** Formats the report for programs, such as `causeway-admin doctor`, with its time in epoch milliseconds. */
export function formatJson(findings: readonly Finding[], nowMs: number): string {
  const at = new Date(nowMs).toISOString();
  return JSON.stringify({ at, healthy: isHealthy(findings), findings: sorted(findings) }, null, 2);
}

function sorted(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((a, b) => CHECKS.indexOf(a.check) - CHECKS.indexOf(b.check));
}
