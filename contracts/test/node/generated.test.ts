import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

// Compares the committed ABIs and bytecode with the artifacts of the task `compile`.

const project = join(import.meta.dirname, '../..');
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-generated-'));
  cpSync(join(project, 'generated'), folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

async function check(): Promise<{ readonly code: number; readonly stderr: string }> {
  return new Promise((resolve) => {
    const words = [join(project, 'scripts/generate.mjs'), '--check', '--folder', folder];
    const child = execFile(process.execPath, words, (_, _stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stderr }),
    );
  });
}

describe('the committed ABIs and bytecode', () => {
  it('are what the contracts compile to', async () => {
    expect(await check()).toEqual({ code: 0, stderr: '' });
  });

  it.each(['abi.ts', 'abi-items.ts', 'bytecode.ts', 'deployed-code.ts', 'test-accounts.json'])(
    'are refused with the command that regenerates them, when %s differs',
    async (name) => {
      const file = join(folder, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace('0x60', '0x61').replace('"view"', '"pure"'));
      const { code, stderr } = await check();
      expect(code).toBe(1);
      expect(stderr).toContain(`contracts/generated/${name}: not what the contracts compile to`);
      expect(stderr).toContain('npx pnpm@12.21.0 --filter @causeway/contracts run generate');
    },
  );
});
