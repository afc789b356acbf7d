import { createRequire } from 'node:module';
import hardhatEthers from '@nomicfoundation/hardhat-ethers';
import hardhatTypechain from '@nomicfoundation/hardhat-typechain';
import { defineConfig } from 'hardhat/config';

const require = createRequire(import.meta.url);

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
  test: { solidity: { fuzz: { runs: 256 }, invariant: { runs: 32, depth: 64, failOnRevert: false } } },
});
