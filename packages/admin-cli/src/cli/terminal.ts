import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { getExitCode } from '@causeway/service/configuration';
import { linkToError } from '@causeway/protocol/docs';
import { InvalidArgumentError } from 'commander';
import { getAddress, isAddress, type Address } from 'viem';
import { describeError } from '@causeway/governance';

/** The streams of a terminal. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/** The terminal of this process. Questions go to standard error, so that standard output has only results. */
export const PROCESS_TERMINAL: Terminal = { input: process.stdin, output: process.stderr };

/**
 * Asks for a password at the terminal without echoing it.
 *
 * @throws Error without a terminal.
 */
export async function askPassword(prompt: string, { input, output }: Terminal): Promise<string> {
  if (!input.isTTY) throw new Error('There is no terminal to ask for the password: give --password-file <file>');
  output.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const typed = createInterface({ input, output: silent, terminal: true });
  try {
    return await typed.question('');
  } finally {
    typed.close();
    output.write('\n');
  }
}

/** Asks a yes-or-no question at the terminal. Any answer except `y` or `yes`, or the end of the input, means no. */
export async function askYesNo(question: string, { input, output }: Terminal): Promise<boolean> {
  const typed = createInterface({ input, output, terminal: false });
  try {
    output.write(`${question} [y/N] `);
    for await (const line of typed) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    typed.close();
  }
}

/** Prints the error of a failed command and the link to its page, without its stack, and sets the exit code. */
export function reportFailure(error: unknown): void {
  process.stderr.write(`${describeError(error)}\n`);
  const link = linkToError(error, process.env['DOCS_URL'] || undefined);
  if (link !== null) process.stderr.write(`Docs: ${link}\n`);
  process.exitCode = getExitCode(error);
}

/**
 * Reads an address from the command line.
 *
 * @throws InvalidArgumentError of commander, which names the option.
 */
export function parseAddress(text: string): Address {
  if (!isAddress(text)) throw new InvalidArgumentError('It must be an address.');
  return getAddress(text);
}
