import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { defineCommand, type Surroundings } from '../command.js';
import { UsageError } from '../errors.js';

/** The part of `@causeway/verifier/command` that this program uses. */
interface Verifier {
  readonly runVerify: (words: readonly string[], surroundings: Surroundings) => Promise<number>;
}

export const command = defineCommand<object, []>({
  define: (syntax) => {
    syntax
      .argument('[words...]', 'the words of causeway-verify; all options are in causeway-verify --help')
      .allowUnknownOption();
  },
  // The program passes the words on before it parses them.
  run: () => {
    throw new UsageError('verify', 'must be the first word', 'Write causeway verify, and then its options.');
  },
});

/**
 * Runs `causeway-verify` where it is installed: in the current folder, or beside this program.
 *
 * @returns its exit code.
 * @throws UsageError without it.
 */
export async function passOn(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { runVerify } = (await import(/* @vite-ignore */ pathToFileURL(findVerifier()).href)) as Verifier;
  return runVerify(words, surroundings);
}

function findVerifier(): string {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      return createRequire(from).resolve('@causeway/verifier/command');
    } catch {
      // It is not installed there.
    }
  }
  throw new UsageError('verify', 'is not installed', 'Run npm install --global @causeway/verifier viem.');
}
