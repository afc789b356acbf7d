import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/** Where somebody types, and reads what is asked. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly output: NodeJS.WritableStream;
}

/**
 * Asks for a password at the terminal, without showing what is typed.
 *
 * @throws Error when there is no terminal.
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
