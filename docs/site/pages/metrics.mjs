import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { read, ROOT } from './routes.mjs';
import { table } from './schemas.mjs';

/** The services, and the package whose metrics all of them have. */
const SOURCES = {
  'The relayer': 'apps/relayer',
  'The API': 'apps/api',
  'The gateway': 'apps/gateway',
  'The attester': 'apps/attester',
  'The watchtower': 'apps/watchtower',
  'All services': 'packages/service',
};
const TEXT = String.raw`(?:'([^']+)'|"([^"]+)"|${'`'}([^${'`'}]+)${'`'})`;
/** `new Gauge({ name: '…', help: '…' })`. */
const CREATED = new RegExp(String.raw`new (?:Gauge|Counter|Histogram)\(\{\s*name: ${TEXT},\s*help:\s*${TEXT}`, 'g');
/** A helper that adds the prefix: `gauge('name', 'help')`. */
const ADDED = new RegExp(String.raw`\b(?:gauge|counter|watch|watchNodes|addBySet)\(\s*${TEXT},\s*${TEXT}`, 'g');

/** The page of the metrics, from the names and help texts in the code that makes them. */
export function readMetrics() {
  const sections = Object.entries(SOURCES).map(([title, folder]) => {
    const files = globSync(`${folder}/src/**/*.ts`, { cwd: ROOT, exclude: ['**/*.test.ts'] });
    const metrics = new Map(files.flatMap((file) => readFile(file, `causeway_${basename(folder)}_`)));
    const rows = [...metrics].map(([name, help]) => [`\`${name}\``, help]);
    return `## ${title}\n\n${table(
      rows.toSorted(([a], [b]) => a.localeCompare(b)),
      ['Metric', 'Shows'],
    )}`;
  });
  const lead = 'The figures that `/metrics` of each service serves, in the format of Prometheus.';
  return new Map([['docs/reference/metrics.md', `# Metrics\n\n${lead}\n\n${sections.join('')}`]]);
}

/** Pairs of a metric's name and its help. */
function readFile(file, folderPrefix) {
  const code = read(file);
  const prefix = /`(causeway_\w+_)\$\{name\}`/.exec(code)?.[1] ?? folderPrefix;
  const toPair = ([, ...texts]) => texts.filter((text) => text !== undefined);
  const created = [...code.matchAll(CREATED)].map(toPair);
  const added = [...code.matchAll(ADDED)].map(toPair);
  return [
    ...created.map(([name, help]) => [name.replace('${PREFIX}', prefix), help]).filter(([name]) => !name.includes('$')),
    ...added.map(([name, help]) => [prefix + name, help]),
  ];
}
