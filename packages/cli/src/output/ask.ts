import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { InterruptedError, NotConfirmedError } from '../errors.js';
import type { Streams } from './printer.js';

/** Whether the program can ask a person: all streams must be a terminal, so that no pipe waits for an answer. */
export function isInteractive({ input, output, errors }: Streams): boolean {
  return input.isTTY === true && output.isTTY === true && errors.isTTY === true;
}

/**
 * Asks a person and returns the answer. Questions go to standard error.
 *
 * @param isHidden whether to hide the answer.
 * @throws InterruptedError after Ctrl-C, NotConfirmedError when the terminal is closed.
 */
export async function ask({ input, errors }: Streams, question: string, isHidden = false): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (isHidden) errors.write(question);
  const typed = createInterface({ input, output: isHidden ? silent : errors, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      typed.once('SIGINT', () => reject(new InterruptedError()));
      typed.once('close', () => reject(new NotConfirmedError('No answer was given', 'Run the command again.')));
      typed.question(isHidden ? '' : question, resolve);
    });
  } finally {
    typed.close();
    if (isHidden) errors.write('\n');
  }
}

/** Asks a question. Only `y` and `yes` mean yes. */
export async function askYesNo(streams: Streams, question: string): Promise<boolean> {
  return /^y(es)?$/i.test((await ask(streams, `${question} [y/N] `)).trim());
}
