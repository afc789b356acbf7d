import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { isLong, seed } from '@causeway/test-kit';
import { DRILL_NAMES, type DrillName } from '../drills/command.ts';
import type { Row } from '../drills/drill.ts';

// Runs `drill` like a person: two in every run, all at night.

const FIRST: readonly DrillName[] = ['database-lost', 'older-backup'];
const TIMEOUT_MS = 900_000;
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

async function drill(...words: readonly string[]): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return promisify(execFile)(process.execPath, ['e2e/drills/main.ts', ...words], { cwd: ROOT, timeout: TIMEOUT_MS });
}

describe('a drill', () => {
  it.each(isLong ? Object.keys(DRILL_NAMES) : FIRST)(
    '%s loses no money, and is over in time',
    async (name) => {
      const { stdout, stderr } = await drill(name, '--json', '--seed', `${seed()}`).catch((error: object) => ({
        stdout: '[]',
        stderr: '',
        ...error,
      }));
      const [row] = JSON.parse(stdout) as Row[];
      // When it is skipped, it says what the machine lacks.
      if (row?.result !== 'passed') process.stderr.write(stderr);
      if (isLong) process.stderr.write(`${JSON.stringify(row)}\n`);
      expect(row).toMatchObject({ result: expect.stringMatching(/passed|skipped/), problems: [] });
    },
    TIMEOUT_MS,
  );

  it('is listed without a name', async () => {
    const { stdout } = await drill();
    for (const name of Object.keys(DRILL_NAMES)) expect(stdout).toContain(`  ${name} `);
  });

  it('of an unknown name does not start', async () => {
    await expect(drill('flood')).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('Allowed choices') });
  });
});
