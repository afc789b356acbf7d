import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { missingNatspec, readItems, renderPage } from './natspec.mjs';

// Usage: node scripts/reference.mjs [--write <folder>] [--sources <folder>]. Fails when an item of the contracts lacks
// NatSpec. With --write it writes a page for each contract, for the site of docs/.

const { values: flags } = parseArgs({ options: { write: { type: 'string' }, sources: { type: 'string' } } });
const root = flags.sources ?? fileURLToPath(new URL('..', import.meta.url));

const files = globSync('src/**/*.sol', { cwd: root }).toSorted();
const contracts = readItems(Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
const gaps = missingNatspec(contracts);
for (const gap of gaps) console.error(gap);
if (gaps.length > 0) process.exit(1);

if (flags.write !== undefined) {
  const folder = resolve(flags.write);
  const documented = contracts.filter(({ file }) => !file.startsWith('src/mocks/'));
  const entries = documented.map(
    ({ name, doc }) => `- [${name}](${name}.md): ${doc.find(({ tag }) => tag === 'title').text}`,
  );
  mkdirSync(folder, { recursive: true });
  const lead = 'The public functions, events and errors of each contract, from its NatSpec.';
  writeFileSync(join(folder, 'README.md'), `# Contracts\n\n${lead}\n\n${entries.join('\n')}\n`);
  for (const one of documented) writeFileSync(join(folder, `${one.name}.md`), renderPage(one));
}
