import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { describeExitCodes } from '../src/output/exit-codes.js';
import { loadProgram } from '../src/program.js';
import { FakeStreams } from './fake-streams.js';

const PAGE = new URL('../../../docs/reference/command.md', import.meta.url);
const PART = /(?<=<!-- help -->\n)[\s\S]*(?=<!-- \/help -->)/;

/** The help of the program and of each command, without global options. */
async function writeReference(): Promise<string> {
  const program = await loadProgram(new FakeStreams());
  const helps = [program, ...program.commands].map((command) => {
    command.configureHelp({ showGlobalOptions: false, helpWidth: 100 });
    return `\`\`\`text\n${command.helpInformation().trim()}\n\`\`\`\n`;
  });
  return `\n\`\`\`text\n${describeExitCodes()}\n\`\`\`\n\n${helps.join('\n')}\n`;
}

describe('docs/reference/command.md', () => {
  // UPDATE_PAGE=1 writes the page.
  it('lists the help of each command and the exit codes', async () => {
    const page = readFileSync(PAGE, 'utf8');
    const reference = await writeReference();
    if (process.env['UPDATE_PAGE'] === '1')
      writeFileSync(
        PAGE,
        page.replace(PART, () => reference),
      );
    else expect(PART.exec(page)?.[0]).toBe(reference);
  });
});
