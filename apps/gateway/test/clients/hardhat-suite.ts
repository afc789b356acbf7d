import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { toHex } from 'viem';
import { type ClientTarget, makeRecipient } from './target.js';

const PROJECT = fileURLToPath(new URL('hardhat-project', import.meta.url));
const HARDHAT = join(dirname(createRequire(import.meta.url).resolve('hardhat/package.json')), 'dist/src/cli.js');

/** Hardhat 3: `hardhat run` of a script in a project whose network is the gateway. */
export function hardhatSuite(getTarget: () => ClientTarget): void {
  describe('Hardhat', () => {
    it('runs a script that sends, deploys, reads, estimates and queries events', async () => {
      const { httpUrl, privateKey, chainId } = getTarget();
      const output = await mkdtemp(join(tmpdir(), 'hardhat-'));
      const env = {
        ...process.env,
        PARTNER_URL: httpUrl,
        PARTNER_KEY: privateKey,
        PARTNER_CHAIN_ID: String(chainId),
        RECIPIENT: makeRecipient('hardhat', String(process.pid)),
        PROJECT_OUTPUT: output,
      };
      try {
        // Without this flag Hardhat fetches its list of compilers from the internet, although the project has no
        // contracts.
        const args = [HARDHAT, 'run', '--no-compile', 'scripts/use-chain.ts', '--network', 'partner'];
        const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: PROJECT, env, timeout: 100_000 });
        const result = JSON.parse(/^RESULT (.*)$/m.exec(stdout)?.[1] ?? '{}') as { estimate: number };
        expect(result).toMatchObject({
          chainId: toHex(chainId),
          paid: 1,
          recipientOwns: '0.03125',
          transferred: 1,
          tokenBalance: '500',
          events: 1,
          // The selector of ERC20InsufficientBalance.
          refusal: expect.stringMatching(/execution reverted.*0xe450d38c/),
        });
        expect(result.estimate).toBeGreaterThanOrEqual(21_000);
      } finally {
        await rm(output, { recursive: true, force: true });
      }
    }, 120_000);
  });
}
