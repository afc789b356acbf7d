import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testKey, type GatewayProcess } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEmbeddedGateway } from '../setup/gateway.js';

const PAGE = readFileSync(new URL('../../../../docs/chain/smart-accounts.md', import.meta.url), 'utf8');
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url));

let gateway: GatewayProcess;
let folder: string;

beforeAll(async () => {
  gateway = await startEmbeddedGateway();
  // Packages resolve from here, and git ignores this folder.
  folder = mkdtempSync(join(MODULES, '.docs-'));
  for (const [, script = '', name = ''] of PAGE.matchAll(/```js\n(\/\/ (\S+\.mjs):[\s\S]*?)```/g))
    writeFileSync(join(folder, name), script);
});
afterAll(async () => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  await gateway?.stop();
});

async function runScript(name: string, key: number): Promise<string> {
  const { BUNDLER: _, ...variables } = process.env;
  const env = { ...variables, RPC: gateway.httpUrl, PRIVATE_KEY: testKey(key) };
  const { stdout } = await promisify(execFile)(process.execPath, [name], { cwd: folder, env, timeout: 100_000 });
  return stdout;
}

describe('the scripts of docs/chain/smart-accounts.md', () => {
  it('deploy a Safe, which pays in units and refuses wei', async () => {
    expect(await runScript('safe.mjs', 1)).toBe('GS013\nThe Safe paid 1 XCN\n');
  });

  it('send a user operation that creates an account, at the minimum price', async () => {
    const output = await runScript('user-operation.mjs', 2);
    const [, account, bundler] = /^Paid 100000000n units\nThe account paid (\S+) XCN, the bundler (\S+) XCN\n$/.exec(
      output,
    ) as unknown as [string, string, string];
    // Both accounts are new: the operation's account, without its own payment, and the recipient.
    expect(Number(account)).toBeGreaterThan(0.008);
    expect(Number(account)).toBeLessThan(0.011);
    expect(Number(account) / Number(bundler)).toBeGreaterThan(9);
  });
});
