import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { deploymentConfigSchema } from '../deploy/index.js';

/** The reviewed configuration of the local environment. */
export const LOCAL_CONFIG_FILE = fileURLToPath(new URL('../deploy/config/local.json', import.meta.url));

/** What is written in it, with something else in place of some of it. */
export function rawLocalConfig(over: object = {}): Record<string, unknown> {
  return { ...JSON.parse(readFileSync(LOCAL_CONFIG_FILE, 'utf8')), ...over };
}

/** The same, checked. */
export function localConfig(over: object = {}): ReturnType<typeof deploymentConfigSchema.parse> {
  return deploymentConfigSchema.parse(rawLocalConfig(over));
}
