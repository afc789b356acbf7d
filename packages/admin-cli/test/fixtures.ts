import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROLE_ACCOUNTS } from '@causeway/test-kit';
import { deploymentConfigSchema, type DeploymentConfig } from '@causeway/contracts/deploy';

export { makeAddress, makeTarget, startChains, type TestChains } from '@causeway/test-kit';

export const { deployer, relayer, guardian, owner, newcomer, policyManager, standby } = ROLE_ACCOUNTS;

/** The reviewed configuration of the local environment. */
export const LOCAL_CONFIG_FILE = fileURLToPath(import.meta.resolve('@causeway/contracts/deploy/config/local.json'));

/** Anvil counts its coin with 18 decimals, like Ethereum. */
const ANVIL_NATIVE_UNIT = '1';

/** The local configuration with some fields replaced, for anvil as the partner chain. */
export function rawLocalConfig(over: object = {}): Record<string, unknown> {
  return { ...JSON.parse(readFileSync(LOCAL_CONFIG_FILE, 'utf8')), nativeUnit: ANVIL_NATIVE_UNIT, ...over };
}

/** The same, parsed by the schema. */
export function localConfig(over: object = {}): DeploymentConfig {
  return deploymentConfigSchema.parse(rawLocalConfig(over));
}
