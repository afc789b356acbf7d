/** The exit codes, and what each means for a script. They are part of the interface: no code changes its meaning. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'an unexpected failure, or an error that doctor found' },
  usage: { code: 2, meaning: 'an argument, option or variable is missing or malformed; nothing was sent' },
  refused: { code: 3, meaning: 'a check, a contract or the terms refuse the transfer; nothing was sent' },
  api: { code: 4, meaning: 'the API refused the request, or its answer is wrong' },
  network: { code: 5, meaning: 'the key, the wallet, a node or the connection failed; resume continues' },
  undecided: { code: 6, meaning: 'whether a transaction was sent cannot be known; nothing was sent again' },
  unconfirmed: { code: 7, meaning: 'not confirmed: there is no terminal and no --yes, or the answer was no' },
  ended: { code: 8, meaning: 'the transfer ended FAILED or EXPIRED, or its transaction failed' },
  record: { code: 9, meaning: 'the record of the transfer is in use, altered, or of another bridge' },
  interrupted: { code: 130, meaning: 'interrupted; resume continues' },
} as const;

/** The name of an exit code. */
export type Exit = keyof typeof EXIT_CODES;

/** The table of the help. */
export function describeExitCodes(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`);
  return `Exit codes:\n${lines.join('\n')}`;
}
