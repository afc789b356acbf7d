import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format, resolveConfig } from 'prettier';
import { ALERTS, getRunbook } from '../packages/protocol/dist/admin/index.js';

// Writes deploy/alerts.yml from the list of alerts in the protocol, which the console shows too. With --check it writes
// nothing, and fails if the file is outdated. Reads the built packages.
const FILE = join(import.meta.dirname, '../deploy/alerts.yml');
const HEAD = `# Alert rules for Prometheus. Written by scripts/alert-rules.mjs from packages/protocol/src/admin/alerts.ts. Do not edit
# it: change the list and run the script. docs/runbook.md says for each alert what it means and what to do.
#
# Only the active relayer's metrics of the watch are valid: a passive one keeps its last values. \`and on (instance)\`
# with lease_held selects the active one. Thresholds of wallets are examples: adapt them to your traffic.
groups:
  - name: causeway
    rules:
`;

/** Returns a one-line text that YAML reads unquoted. */
function plain(text) {
  if (/: | #|\n|^[^\w(]/.test(text)) throw new Error(`YAML would not read this as a plain text: ${text}`);
  return text;
}

/** Returns a Prometheus rule. */
function rule(code, { severity, summary, prometheus }) {
  const [first, ...rest] = prometheus.expression;
  const expression = rest.length === 0 ? plain(first) : ['>-', first, ...rest].join('\n          ');
  return [
    `      - alert: ${code}`,
    `        expr: ${expression}`,
    ...(prometheus.for === undefined ? [] : [`        for: ${prometheus.for}`]),
    `        labels: { severity: ${severity} }`,
    '        annotations:',
    `          summary: ${plain(summary)}`,
    `          runbook: ${getRunbook(code)}`,
  ].join('\n');
}

const rules = Object.entries(ALERTS).filter(([, alert]) => alert.prometheus !== undefined);
const topics = [...new Set(rules.map(([, { about }]) => about))].map((about) =>
  [
    `      # About ${about}.`,
    ...rules.filter(([, alert]) => alert.about === about).map(([code, alert]) => rule(code, alert)),
  ].join('\n'),
);
const text = await format(`${HEAD}${topics.join('\n\n')}\n`, { ...(await resolveConfig(FILE)), parser: 'yaml' });

const { values: flags } = parseArgs({ options: { check: { type: 'boolean' } } });
if (flags.check !== true) {
  writeFileSync(FILE, text);
} else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('deploy/alerts.yml is outdated: run npx pnpm@12.21.0 exec node scripts/alert-rules.mjs');
  process.exitCode = 1;
}
