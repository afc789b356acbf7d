import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readPrograms } from '../integration/integrator-programs.js';
import { renderNextPage } from '../integration/next-page.js';
import { PartnerFolder } from '../integration/partner-folder.js';
import { PACKAGES, startRegistry, type Registry } from '../integration/registry.js';
import { depositInPage } from '../integration/web-page.js';
import { callWorker } from '../integration/worker.js';
import { temporaryEnvironment, type TestEnvironment } from '../temporary-environment.js';

let environment: TestEnvironment;
let folder: string;
let registry: Registry;
beforeAll(async () => {
  environment = await temporaryEnvironment();
  folder = mkdtempSync(join(tmpdir(), 'causeway-partners-'));
  registry = await startRegistry(folder, PACKAGES);
});
afterAll(async () => {
  await registry?.close();
  await environment?.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the packages, in a new folder', () => {
  it('compile with TypeScript 5 and complete a transfer on Node 20', async () => {
    const partner = new PartnerFolder(join(folder, 'node-20'), registry);
    await partner.run('npm install @causeway/sdk viem node@20 typescript@5.9.3 @types/node@20');
    partner.write('transfer.mts', readPrograms().get('transfer.mts') ?? '');
    const program = 'node_modules/.bin/node';
    expect(await partner.run(`${program} --version`)).toMatch(/^v20\./);
    await partner.run('npx tsc --strict --target es2022 --module nodenext --types node transfer.mts');
    const { stack, accounts } = environment;
    const output = await partner.run(`${program} transfer.mjs`, {
      API: stack.apiUrl,
      ETHEREUM_RPC: stack.ethereum.rpcUrl,
      PRIVATE_KEY: accounts.alice.privateKey,
    });
    expect(output).toMatch(/\nCOMPLETED \d+\n$/);
  });

  it('deposit in a Vite page, which sends what was refused only at a click, and continues after a reload', async () => {
    const deposit = await depositInPage(new PartnerFolder(join(folder, 'vite'), registry), environment);
    const refused = ['Deposit', 'Discard ETH', 'Discard ETH', 'Send ETH again', 'Send ETH again'];
    const offers = [refused, refused, ['Deposit']];
    expect(deposit).toMatchObject({ sendings: [2, 2, 3], offers, problems: [] });
    expect(deposit.text).toMatch(/COMPLETED\n?$/);
  });

  it('quote, deposit and read the status in workerd', async () => {
    const answer = await callWorker(new PartnerFolder(join(folder, 'worker'), registry), environment);
    expect(answer).toMatchObject({ outputAmountFormatted: '0.5', status: expect.stringMatching(/^[A-Z_]+$/) });
  });

  it('build a Next page for production, which its server renders', async () => {
    const html = await renderNextPage(new PartnerFolder(join(folder, 'next'), registry), environment);
    expect(html).toMatch(/0\.5(?:<!-- -->)? ETH arrive/);
  });
});
