import { ROLE_ACCOUNTS } from '@causeway/test-kit';
import { deploymentConfigSchema, type DeploymentConfig } from '@causeway/contracts/deploy';
import local from '@causeway/contracts/deploy/config/local.json' with { type: 'json' };

export { makeAddress, makeTarget, mined, startChains, type TestChains, type TestTarget } from '@causeway/test-kit';

export const { deployer, relayer, guardian, treasury, owner, newcomer, policyManager, standby, recovery, pauser } =
  ROLE_ACCOUNTS;

/** The local configuration with some fields replaced, for anvil as the partner chain, with 18 decimals. */
export function localConfig(over: object = {}): DeploymentConfig {
  return deploymentConfigSchema.parse({ ...local, nativeUnit: '1', ...over });
}
