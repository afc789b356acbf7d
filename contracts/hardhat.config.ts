import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import hardhatEthers from '@nomicfoundation/hardhat-ethers';
import hardhatTypechain from '@nomicfoundation/hardhat-typechain';
import { defineConfig, overrideTask } from 'hardhat/config';

const require = createRequire(import.meta.url);
/** The seed of repeatable runs. The long run draws its own, see scripts/test-solidity.mjs. */
const SHORT_SEED = '0xca05e3a7';
const seed = process.env['FUZZ_SEED'];

/** The compiler of the npm package, so that builds download no compiler. */
const COMPILER = { version: '0.8.37', path: require.resolve('solc/soljson.js') };

/** The bridge contracts must stay below the 24,576 bytes of EIP-170, and more runs make them longer. */
const RUNS: Record<string, number> = { 'src/bridge/BridgeLock.sol': 20_000, 'src/bridge/BridgeMint.sol': 2_000 };

/** Deployed contracts are optimised, each file in its own compiler job. */
const deployed = globSync('src/{bridge,deploy,mocks,tokens}/*.sol', { cwd: import.meta.dirname }).map((file) => [
  file,
  {
    ...COMPILER,
    settings: { evmVersion: 'cancun', viaIR: true, optimizer: { enabled: true, runs: RUNS[file] ?? 1_000_000 } },
  },
]);

export default defineConfig({
  plugins: [hardhatEthers, hardhatTypechain],
  tasks: [
    // Tests name contracts as strings, so the imports of a test file do not cover its contracts.
    overrideTask(['test', 'solidity'])
      .setInlineAction(async (words, { tasks }, runSuper) => {
        if (!words.noCompile && words.testFiles.length > 0) await tasks.getTask('build').run({ noTests: true });
        return runSuper(words);
      })
      .build(),
  ],
  solidity: {
    profiles: {
      default: {
        // The tests, all in one job. Without the optimizer they compile in seconds instead of minutes.
        compilers: [{ ...COMPILER, settings: { evmVersion: 'cancun', viaIR: false, optimizer: { enabled: false } } }],
        overrides: Object.fromEntries(deployed),
      },
    },
  },
  paths: { sources: './src', tests: { solidity: './test' } },
  typechain: { outDir: './types', alwaysGenerateOverloads: false },
  test: {
    solidity: {
      profiles: {
        // Every run: a few sequences of each invariant, from a fixed seed, so that failures repeat.
        default: {
          fuzz: { runs: 64, seed: SHORT_SEED },
          invariant: { runs: 12, depth: 250, failOnRevert: true },
        },
        // `test:long`: a million calls of each invariant and 20,000 cases of each fuzz test, from a new seed.
        long: {
          fuzz: { runs: 20_000, ...(seed === undefined ? {} : { seed }) },
          invariant: { runs: 2_000, depth: 500, failOnRevert: true },
        },
        // Enough to run every line.
        coverage: { fuzz: { runs: 32, seed: SHORT_SEED }, invariant: { runs: 2, depth: 50, failOnRevert: true } },
      },
    },
  },
});
