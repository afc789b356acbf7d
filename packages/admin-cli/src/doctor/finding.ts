/** The steps of docs/testnet.md, in its order. */
const STEPS = [
  'accounts',
  'tokens',
  'contracts',
  'offices',
  'database',
  'keystores',
  'nodes',
  'gateway',
  'services',
  'transfer',
] as const;

/** A step of the way to a bridge that runs. */
export type Step = (typeof STEPS)[number];

/** One line of a report. `not yet`: the step comes later, and nothing is wrong with it. */
export interface Finding<S extends string = Step> {
  readonly level: 'ok' | 'warning' | 'error' | 'not yet';
  readonly step: S;
  readonly finding: string;
  /** The remedy. Null when nothing is to be done. */
  readonly action: string | null;
}

/** Creates a finding that needs no action. */
export const ok = <S extends string>(step: S, finding: string): Finding<S> => ({
  level: 'ok',
  step,
  finding,
  action: null,
});

/** Creates a finding with which the bridge works, and which an operator should mend. */
export const warning = <S extends string>(step: S, finding: string, action: string): Finding<S> => ({
  level: 'warning',
  step,
  finding,
  action,
});

/** Creates a finding with which the bridge does not work, or not safely. */
export const error = <S extends string>(step: S, finding: string, action: string): Finding<S> => ({
  level: 'error',
  step,
  finding,
  action,
});

/** Creates a finding about something that is still to be made. */
export const notYet = (step: Step, finding: string, action: string): Finding => ({
  level: 'not yet',
  step,
  finding,
  action,
});

/** Formats a report: a line for each finding, those of `doctor` in the order of its steps, and one that counts them. */
export function formatReport(findings: readonly Finding<string>[]): string {
  const lines = sortBySteps(findings).map(({ level, step, finding, action }) => {
    const todo = action === null ? '' : ` -> ${action}`;
    return `${level.padEnd(8)} ${step.padEnd(10)} ${finding}${todo}`;
  });
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length;
  return [...lines, `${count('error')} errors, ${count('warning')} warnings, ${count('not yet')} not yet`].join('\n');
}

/** Formats the report for programs. */
export function formatJson(findings: readonly Finding<string>[]): string {
  return JSON.stringify({ exitCode: getReportCode(findings), findings: sortBySteps(findings) }, null, 2);
}

/** 1 with an error, else 2 when something is still to be made, else 0. */
export function getReportCode(findings: readonly Finding<string>[]): 0 | 1 | 2 {
  if (findings.some(({ level }) => level === 'error')) return 1;
  return findings.some(({ level }) => level === 'not yet') ? 2 : 0;
}

function sortBySteps(findings: readonly Finding<string>[]): readonly Finding<string>[] {
  const place = ({ step }: Finding<string>) => STEPS.findIndex((each) => each === step);
  return findings.toSorted((a, b) => place(a) - place(b));
}
