import hardhatEthers from '@nomicfoundation/hardhat-ethers';
import { configVariable, defineConfig } from 'hardhat/config';

/** A typical Hardhat project on a network behind the gateway. It writes to a folder that the test deletes. */
export default defineConfig({
  plugins: [hardhatEthers],
  paths: { cache: `${process.env['PROJECT_OUTPUT']}/cache`, artifacts: `${process.env['PROJECT_OUTPUT']}/artifacts` },
  networks: {
    partner: {
      type: 'http',
      chainId: Number(process.env['PARTNER_CHAIN_ID']),
      url: configVariable('PARTNER_URL'),
      accounts: [configVariable('PARTNER_KEY')],
    },
  },
});
