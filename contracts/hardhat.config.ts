import { createRequire } from 'node:module';
import hardhatEthers from '@nomicfoundation/hardhat-ethers';
import hardhatTypechain from '@nomicfoundation/hardhat-typechain';
import { defineConfig } from 'hardhat/config';

const require = createRequire(import.meta.url);
const seed = process.env['CAMPAIGN_SEED'];

export default defineConfig({
  plugins: [hardhatEthers, hardhatTypechain],
  solidity: {
    version: '0.8.37',
    // The compiler of the npm package: builds need no download.
    path: require.resolve('solc/soljson.js'),
    settings: {
      evmVersion: 'cancun',
      viaIR: true,
      optimizer: { enabled: true, runs: 1_000_000 },
    },
  },
  paths: { sources: './src', tests: { solidity: './test-sol' } },
  typechain: { outDir: './types', alwaysGenerateOverloads: false },
  test: {
    solidity: {
      profiles: {
        // 105,000 calls of every invariant in every run of the tests.
        default: { fuzz: { runs: 256 }, invariant: { runs: 210, depth: 500, failOnRevert: true } },
        // A million calls, and more cases of every fuzz test, from a seed of its own: `test:campaign`, before a release.
        campaign: {
          fuzz: { runs: 20_000, ...(seed === undefined ? {} : { seed }) },
          invariant: { runs: 2_000, depth: 500, failOnRevert: true },
        },
        // Only what is needed to run every line.
        coverage: { fuzz: { runs: 32 }, invariant: { runs: 2, depth: 50, failOnRevert: true } },
      },
    },
  },
});
