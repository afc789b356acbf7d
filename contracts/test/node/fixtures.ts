import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROLE_ACCOUNTS } from '@causeway/test-kit';
import { numberToHex } from 'viem';
import { deploymentConfigSchema, type DeploymentConfig } from '../../deploy/index.js';

export { makeAddress, makeTarget, startChains, type TestChains, type TestTarget } from '@causeway/test-kit';

export const { deployer, relayer, guardian, treasury, owner, newcomer, policyManager, standby, pauser } = ROLE_ACCOUNTS;

/** The reviewed configuration of the local environment. */
export const LOCAL_CONFIG_FILE = fileURLToPath(new URL('../../deploy/config/local.json', import.meta.url));

/** The published address book of the local environment. */
export const LOCAL_BOOK_FILE = fileURLToPath(new URL('../../deployments/local.json', import.meta.url));

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

/** The file of an environment's example configuration. */
export function exampleFile(environment: 'testnet' | 'mainnet'): string {
  return fileURLToPath(new URL(`../../deploy/config/${environment}.example.json`, import.meta.url));
}

/** The example configuration of an environment with its placeholders filled in, and some fields replaced. */
export function exampleConfig(environment: 'testnet' | 'mainnet', over: object = {}): Record<string, unknown> {
  const names: string[] = [];
  const text = readFileSync(exampleFile(environment), 'utf8').replaceAll(/<[A-Z_]+>/g, (name) => {
    if (!names.includes(name)) names.push(name);
    return numberToHex(names.indexOf(name) + 1, { size: 20 });
  });
  return { ...JSON.parse(text), ...over };
}
