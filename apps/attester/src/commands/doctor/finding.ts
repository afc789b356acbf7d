/** One line of the report. With an `error` the attester does not work, or not safely. */
export interface Finding {
  readonly level: 'ok' | 'warning' | 'error';
  readonly check: 'nodes' | 'clock' | 'key' | 'set' | 'limits' | 'record' | 'exchanges';
  readonly finding: string;
  /** The remedy. Null when nothing is to be done. */
  readonly action: string | null;
}

/** Creates a finding that needs no action. */
export function ok(check: Finding['check'], finding: string): Finding {
  return { level: 'ok', check, finding, action: null };
}

/** Creates a finding with a remedy. */
export function bad(level: 'warning' | 'error', check: Finding['check'], finding: string, action: string): Finding {
  return { level, check, finding, action };
}

/** Formats the report: a line for each finding, and one that counts them. */
export function formatReport(findings: readonly Finding[]): string {
  const lines = findings.map(({ level, check, finding, action }) => {
    const todo = action === null ? '' : ` -> ${action}`;
    return `${level.padEnd(8)} ${check.padEnd(10)} ${finding}${todo}`;
  });
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return [...lines, `${count('error')} errors, ${count('warning')} warnings`].join('\n');
}

/** The first line of an error, which may contain text of a server. */
export function toReason(error: unknown): string {
  const text = error instanceof Error ? ((error as { shortMessage?: string }).shortMessage ?? error.message) : 'failed';
  return text
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, 200);
}
