import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { apiVariables } from '../apps/api/dist/configuration.js';
import { attesterVariables } from '../apps/attester/dist/configuration/variables.js';
import { gatewayVariables } from '../apps/gateway/dist/config/environment.js';
import { relayerVariables } from '../apps/relayer/dist/configuration.js';
import { watchtowerVariables } from '../apps/watchtower/dist/configuration/variables.js';
import { exampleFile, referenceTable, SECRETS_RULE } from '../packages/service/dist/configuration/index.js';
import { faucetVariables } from '../tools/testbed/dist/faucet/configuration.js';

// Writes docs/reference/environment.md and each app's .env.example from the schemas of the environment variables. With
// --check it writes nothing, and fails if a file is outdated. Reads the built packages.
const ROOT = join(import.meta.dirname, '..');
const SERVICES = {
  relayer: relayerVariables,
  API: apiVariables,
  gateway: gatewayVariables,
  attester: attesterVariables,
  watchtower: watchtowerVariables,
};
const HEAD = `# Environment variables

<!-- Written by scripts/environment-docs.mjs from the schemas of the services. Do not edit it: run the script. -->

Each service checks its variables at the start, and names each one that is missing or unusable. An empty variable counts as not set. No message repeats the value of a variable marked as a secret. ${SECRETS_RULE} [Operating it](../operate/run.md#configuration) explains what to choose.
`;

const services = Object.entries(SERVICES);
/** The faucet belongs to the testbed, so it has no app's `.env.example`. */
const tables = Object.entries({ ...SERVICES, faucet: faucetVariables });
const page = HEAD + tables.map(([name, variables]) => `\n## The ${name}\n\n${referenceTable(variables)}\n`).join('');
const style = { ...(await resolveConfig(join(ROOT, 'README.md'))), parser: 'markdown' };
const files = new Map([
  ['docs/reference/environment.md', await format(page, style)],
  ...services.map(([name, variables]) => [`apps/${name.toLowerCase()}/.env.example`, exampleFile(name, variables)]),
]);

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
for (const [file, text] of files) {
  const path = join(ROOT, file);
  if (flags.check !== true) {
    writeFileSync(path, text);
  } else if (readFileSync(path, 'utf8') !== text) {
    console.error(`${file} is outdated: run npx pnpm@12.21.0 exec node scripts/environment-docs.mjs`);
    process.exitCode = 1;
  }
}
