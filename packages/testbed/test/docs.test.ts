import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { World } from '../dist/index.js';
import { temporaryWorld } from './temporary-world.js';

const run = promisify(execFile);
const page = readFileSync(new URL('../../../docs/integrators.md', import.meta.url), 'utf8');
const commands = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));

let world: World;
beforeAll(async () => {
  world = await temporaryWorld();
});
afterAll(async () => world.stop());

describe('docs/integrators.md', () => {
  it.each(commands)('%s answers with JSON', async (command) => {
    const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, API: world.stack.apiUrl } });
    expect(JSON.parse(stdout)).toEqual(expect.any(Object));
  });
});
