/** Exit codes and their meanings. Scripts rely on them: a code never changes its meaning. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done' },
  failed: { code: 1, meaning: 'an unexpected failure, or doctor found an error' },
  usage: { code: 2, meaning: 'an argument, option or variable is missing or malformed; nothing was sent' },
  refused: { code: 3, meaning: 'a check, a contract or the terms refused the transfer; nothing was sent' },
  api: { code: 4, meaning: 'the API refused the request or gave a wrong answer' },
  network: { code: 5, meaning: 'the key, the wallet, a node or the connection failed; resume continues' },
  undecided: {
    code: 6,
    meaning: 'undecided: a transaction may have been sent, and was not sent again; or verify cannot decide',
  },
  unconfirmed: { code: 7, meaning: 'not confirmed: there is no terminal and no --yes, or the answer was no' },
  ended: { code: 8, meaning: 'the transfer ended FAILED or EXPIRED, or its transaction failed' },
  record: { code: 9, meaning: 'the record of the transfer is in use, altered, or of another bridge' },
  wrong: { code: 11, meaning: 'verify: the chains contradict the bridge, or a proof was altered' },
  interrupted: { code: 130, meaning: 'interrupted; resume continues' },
} as const;

/** The name of an exit code. */
export type Exit = keyof typeof EXIT_CODES;

export function describeExitCodes(): string {
  const lines = Object.values(EXIT_CODES).map(({ code, meaning }) => `  ${String(code).padEnd(4)} ${meaning}`);
  return `Exit codes:\n${lines.join('\n')}`;
}
