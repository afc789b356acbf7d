import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deploymentConfigSchema } from '../deploy/index.js';

/** The reviewed configuration of the local environment. */
export const LOCAL_CONFIG_FILE = fileURLToPath(new URL('../deploy/config/local.json', import.meta.url));

/** An EVM of Ethereum's kind, as that of anvil, counts its coin in all 18 decimals. */
const ANVIL_NATIVE_UNIT = '1';

/**
 * What is written in it, with something else in place of some of it; for a partner chain that anvil plays, so with another
 * native unit than the partner chain's own.
 */
export function rawLocalConfig(over: object = {}): Record<string, unknown> {
  return { ...JSON.parse(readFileSync(LOCAL_CONFIG_FILE, 'utf8')), nativeUnit: ANVIL_NATIVE_UNIT, ...over };
}

/** The same, checked. */
export function localConfig(over: object = {}): ReturnType<typeof deploymentConfigSchema.parse> {
  return deploymentConfigSchema.parse(rawLocalConfig(over));
}
