import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { loadProgram } from '../src/program.js';
import { writeCompletion } from '../src/output/completion.js';
import { FakeStreams } from './fake-streams.js';

const program = await loadProgram(new FakeStreams());

/** The completions that bash offers for a line. */
async function complete(line: string): Promise<readonly string[]> {
  const script = `${writeCompletion('bash', program)}
COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _causeway; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await promisify(execFile)('bash', ['-c', script]);
  return stdout.trim().split('\n');
}

describe('the completion of bash', () => {
  it.each([
    ['causeway li', ['limits']],
    ['causeway --ap', ['--api']],
    ['causeway quote USDC 50 --t', ['--to']],
    ['causeway quote USDC 50 --to ', ['ethereum', 'partner']],
    ['causeway --json deposit --ke', ['--keystore', '--key-stdin']],
    ['causeway deposit --keystore ', ['']],
    ['causeway history --role s', ['sender']],
    ['causeway completion f', ['fish']],
    ['causeway --environment ma', ['mainnet']],
  ])('of "%s" offers %j', async (line, words) => expect(await complete(line)).toEqual(words));
});

describe.each(['bash', 'zsh', 'fish'] as const)('the script of %s', (shell) => {
  const script = writeCompletion(shell, program);

  it('contains every command and option', () => {
    for (const command of [program, ...program.commands]) {
      expect(script).toContain(command.name());
      for (const { long } of command.options)
        expect(script).toContain(shell === 'fish' ? `-l ${long?.slice(2)}` : long);
    }
  });
});
