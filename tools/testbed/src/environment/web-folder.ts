import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { EnvironmentOptions } from '../bridge/options.js';
import type { StackFile } from './stack-file.js';

const require = createRequire(import.meta.url);

/**
 * Copies the built page into a folder, with settings that name this stack and its users' keys.
 *
 * @throws Error when the page is not built.
 */
export function writeWebFolder(
  folder: string,
  { addressBook, ethereum, partner, accounts, holdSeconds }: StackFile,
  { ethereumConfirmations, partnerConfirmations }: EnvironmentOptions,
): void {
  const page = require.resolve('@causeway/web/index.html');
  if (!existsSync(page))
    throw new Error('The page is not built: run npx pnpm@12.21.0 --filter @causeway/web... run build');
  rmSync(folder, { recursive: true, force: true });
  cpSync(dirname(page), folder, { recursive: true, filter: (path) => !basename(path).startsWith('.') });
  const { alice, bob, firstOperator, secondOperator } = accounts;
  const settings = {
    apiUrl: '/api/v1',
    addressBook,
    ethereum: { name: 'Ethereum', rpcUrls: [ethereum.rpcUrl], confirmations: ethereumConfirmations },
    partner: { name: 'Partner chain', rpcUrls: [partner.rpcUrl], confirmations: partnerConfirmations },
    holdSeconds: Math.ceil(holdSeconds),
    operators: { addresses: [firstOperator.address, secondOperator.address], needed: 2 },
    testWallets: [
      { name: 'Alice', privateKey: alice.privateKey },
      { name: 'Bob', privateKey: bob.privateKey },
    ],
  };
  writeFileSync(join(folder, 'settings.json'), `${JSON.stringify(settings, null, 2)}\n`);
}
