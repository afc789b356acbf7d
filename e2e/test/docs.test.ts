import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Environment } from '@causeway/testbed';
import { temporaryEnvironment } from './temporary-environment.js';

const run = promisify(execFile);

function commandsOf(page: string): string[] {
  const text = readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.trim().split('\n'));
}

let environment: Environment;
beforeAll(async () => {
  environment = await temporaryEnvironment();
});
afterAll(async () => environment?.stop());

describe.each(['integrators.md', 'json-rpc.md'])('docs/%s', (page) => {
  it.each(commandsOf(page))('%s answers with JSON', async (command) => {
    const { apiUrl, partner } = environment.stack;
    const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, API: apiUrl, RPC: partner.rpcUrl } });
    const answer: unknown = JSON.parse(stdout);
    expect(answer).toEqual(expect.any(Object));
    // With -f the page promises that it works; without, it shows a refusal.
    if (command.includes('-fsS')) expect(answer).not.toHaveProperty('error');
  });
});
