/** Exit codes of the command, those of `causeway` with the same meaning. A code never changes its meaning. */
export const EXIT_CODES = {
  right: { code: 0, meaning: 'everything that was checked is right' },
  failed: { code: 1, meaning: 'an unexpected failure' },
  usage: { code: 2, meaning: 'an argument, option, file or node is wrong; nothing was checked' },
  undecided: { code: 6, meaning: 'the nodes do not decide it' },
  wrong: { code: 11, meaning: 'the chains contradict the bridge, or a proof was altered: what is wrong is listed' },
  interrupted: { code: 130, meaning: 'interrupted; the same command continues' },
} as const;

/** The name of an exit code. */
export type Exit = keyof typeof EXIT_CODES;

/** The exit codes for the help. */
export function describeExitCodes(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`);
  return `Exit codes:\n${lines.join('\n')}`;
}

/** An argument, an option, a file or a node is wrong. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  constructor(
    readonly field: string,
    problem: string,
    readonly nextStep = 'See causeway-verify --help.',
  ) {
    super(`${field} ${problem}`);
  }
}

/** The program was interrupted by a signal. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  constructor(readonly nextStep: string) {
    super('Interrupted');
  }
}
