import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { apiVariables } from '../apps/api/dist/configuration.js';
import { environmentVariables } from '../apps/gateway/dist/config/environment.js';
import { relayerVariables } from '../apps/relayer/dist/configuration.js';
import { describeVariables } from '../packages/chain/dist/configuration.js';

// Writes docs/reference/environment.md from the schemas that check the environment variables. With --check it only
// fails when the page is not up to date. It reads the built packages.
const SERVICES = {
  'The relayer': relayerVariables,
  'The API': apiVariables,
  'The gateway': environmentVariables,
};
const PAGE = join(import.meta.dirname, '../docs/reference/environment.md');
const HEAD = `# Environment variables

<!-- Written by scripts/environment-docs.mjs from the schemas of the services. Do not edit it: run the script. -->

Each service checks its variables at the start, and names each one that is missing or unusable. An empty variable counts as not set. [Operating it](../operators.md#configuration) explains what to choose.
`;

/** A variable in a row of the table. */
function row({ name, description, isRequired, defaultValue = '' }) {
  const value = isRequired ? 'required' : defaultValue === '' ? '' : `\`${defaultValue}\``;
  return `| \`${name}\` | ${description.replaceAll('|', String.raw`\|`).replaceAll('*', String.raw`\*`)} | ${value} |`;
}

const sections = Object.entries(SERVICES).map(([title, variables]) =>
  [
    `\n## ${title}\n`,
    '| Variable | Meaning | Default |',
    '| --- | --- | --- |',
    ...describeVariables(variables).map(row),
    '',
  ].join('\n'),
);
const text = await format(HEAD + sections.join(''), { ...(await resolveConfig(PAGE)), parser: 'markdown' });

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
if (flags.check !== true) {
  writeFileSync(PAGE, text);
} else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error(
    'docs/reference/environment.md is not up to date: run npx pnpm@12.21.0 exec node scripts/environment-docs.mjs',
  );
  process.exitCode = 1;
}
