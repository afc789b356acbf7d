import type { DeploymentConfig } from './deployment-config.js';

/** The two chains of an environment, so that a configuration is never deployed on the chains of another one. */
export const CHAIN_IDS: Readonly<
  Record<DeploymentConfig['environment'], { readonly ethereum: number; readonly partner: number }>
> = {
  mainnet: { ethereum: 1, partner: 327 },
  testnet: { ethereum: 11_155_111, partner: 8_901 },
  local: { ethereum: 31_337, partner: 8_901 },
};
