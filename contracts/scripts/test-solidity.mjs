import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

// Runs the Solidity tests. The short form is seeded. With LONG_TESTS=1 each invariant is called a million times and
// each fuzz test has 20,000 cases, from a new seed. Repeat a failed long run with its seed: `LONG_TESTS=1 node
// scripts/test-solidity.mjs --seed 0x…`.

const isLong = process.env.LONG_TESTS === '1';
const { values } = parseArgs({ options: { seed: { type: 'string' } } });
const seed = values.seed ?? `0x${randomBytes(32).toString('hex')}`;
const printSeed = () => isLong && process.stdout.write(`Seed ${seed}\n`);
printSeed();
// No TypeChain: it would add bindings of the test contracts to those that the package exports.
const args = ['test', 'solidity', '--no-typechain', '--test-profile', isLong ? 'long' : 'default'];
const { status } = spawnSync('hardhat', args, {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  env: { ...process.env, FUZZ_SEED: seed, HARDHAT_DISABLE_TELEMETRY: 'true' },
  stdio: 'inherit',
});
printSeed();
process.exit(status ?? 1);
