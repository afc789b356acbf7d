import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * Asks for a password at the terminal, without showing what is typed.
 *
 * @throws Error when there is no terminal.
 */
export async function askPassword(prompt: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new Error('There is no terminal to ask for the password: give --password-file <file>');
  process.stderr.write(prompt);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
