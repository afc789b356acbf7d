import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// The Solidity tests with a million calls of every invariant and 20,000 cases of each fuzz test, from numbers that are drawn anew each time.
// A run that found something is repeated by its seed: test:campaign --seed 0x…
const { values } = parseArgs({ options: { seed: { type: 'string' } } });
const seed = values.seed ?? `0x${randomBytes(32).toString('hex')}`;
process.stdout.write(`Seed ${seed}\n`);
const { status } = spawnSync('hardhat', ['test', 'solidity', '--test-profile', 'campaign'], {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, CAMPAIGN_SEED: seed },
  stdio: 'inherit',
});
process.stdout.write(`Seed ${seed}\n`);
process.exit(status ?? 1);
