import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@causeway/test-kit';
import type { Stack } from '../../src/index.js';
import { makeFolder, makeProject, pack, readBlocks } from '../packed-stack.js';

// The package, installed by npm in an empty folder with Jest and Vitest, runs the examples of docs/integrate/stack.md.

const run = promisify(execFile);
const PATIENCE_MS = 600_000;

describe('installed by npm in an empty folder', () => {
  const folder = makeFolder();
  const node = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    run(process.execPath, words, { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } });
  let stack: Stack;

  beforeAll(async () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--silent', pack(), 'jest@30.5.2', 'vitest'], { cwd: folder });
    for (const [name, code] of readBlocks()) writeFileSync(join(folder, name), code);
    const { library } = await makeProject();
    stack = await library.startStack();
  }, PATIENCE_MS);
  afterAll(() => stack?.stop());

  it('runs the example that starts and stops a stack', async () => {
    const { stdout } = await node(['use-stack.mjs']);
    expect(stdout).toMatch(/^200 http:\/\/127\.0\.0\.1:\d+ http:\/\/127\.0\.0\.1:\d+ 0x[0-9a-f]{40}\n$/);
  });

  it('runs the examples of the test runners', async () => {
    const env = { CAUSEWAY_STACK: stack.controlUrl };
    await node(['node_modules/jest/bin/jest.js', 'bridge.test.js'], env);
    await node(['node_modules/vitest/vitest.mjs', 'run', 'bridge.spec.js'], env);
    const { stdout } = await node(['--test', 'bridge.mjs'], env);
    expect(stdout).toMatch(/^. pass 1$/m);
  });

  it('runs a global set-up that gives all tests the URL of a stack', async () => {
    mkdirSync(join(folder, 'global'));
    const checks = "test('all', async () => { expect((await fetch(process.env.CAUSEWAY_STACK)).status).toBe(200); });";
    writeFileSync(join(folder, 'global/all.test.js'), checks);
    const setUp = { globalSetup: './global-set-up.mjs', globalTeardown: './tear-down.mjs' };
    writeFileSync(join(folder, 'tear-down.mjs'), 'export default () => globalThis.stopStack();');
    writeFileSync(join(folder, 'jest.config.json'), JSON.stringify(setUp));
    const { stderr } = await node(['node_modules/jest/bin/jest.js', '--config', 'jest.config.json', 'global/']);
    expect(stderr).toMatch(/Tests: +1 passed/);
    const vitest = { test: { globalSetup: './global-set-up.mjs', globals: true, include: ['global/*.test.js'] } };
    writeFileSync(join(folder, 'vitest.config.mjs'), `export default ${JSON.stringify(vitest)};`);
    await node(['node_modules/vitest/vitest.mjs', 'run']);
  });

  it('stops the stack with the process that started it, even after SIGKILL', async () => {
    const program = "import { startStack } from '@causeway/stack'; process.send((await startStack()).controlUrl);";
    writeFileSync(join(folder, 'killed.mjs'), program);
    const child = fork('killed.mjs', { cwd: folder });
    const [controlUrl] = (await once(child, 'message')) as [string];
    expect((await fetch(controlUrl)).status).toBe(200);
    child.kill('SIGKILL');
    const isGone = () =>
      fetch(controlUrl).then(
        () => false,
        () => true,
      );
    expect(await waitUntil('the stack has ended', isGone)).toBe(true);
  });
});
