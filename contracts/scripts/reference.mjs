import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { missingNatspec } from './natspec/missing-natspec.mjs';
import { readItems } from './natspec/read-items.mjs';
import { renderPage } from './natspec/render-page.mjs';

// Writes docs/reference/contracts from the contracts' NatSpec. With --check it writes nothing, and fails when a page is not
// current. Fails in any case when an item lacks NatSpec. With --sources <folder> it only looks for that in another folder.

const project = fileURLToPath(new URL('..', import.meta.url));
const pages = resolve(project, '../docs/reference/contracts');
const check = process.argv.includes('--check');
const elsewhere = process.argv.includes('--sources') ? process.argv.at(-1) : undefined;
const root = elsewhere ?? project;

const files = globSync('src/**/*.sol', { cwd: root }).toSorted();
const contracts = readItems(Object.fromEntries(files.map((file) => [file, readFileSync(join(root, file), 'utf8')])));
const gaps = missingNatspec(contracts);
for (const gap of gaps) console.error(gap);
if (gaps.length > 0) process.exit(1);
if (elsewhere !== undefined) process.exit(0);

const documented = contracts.filter(({ file }) => !file.startsWith('src/mocks/'));
const index = [
  '# Contracts',
  '',
  '<!-- Made by `run reference` in contracts/. -->',
  '',
  ...documented.map(({ name, doc }) => `- [${name}](${name}.md): ${doc.find(({ tag }) => tag === 'title').text}`),
  '',
].join('\n');
const wanted = new Map([['README.md', index], ...documented.map((one) => [`${one.name}.md`, renderPage(one)])]);
const options = await resolveConfig(join(project, 'README.md'));
let stale = 0;
if (!check) mkdirSync(pages, { recursive: true });
for (const [name, text] of wanted) {
  const page = await format(text, { ...options, parser: 'markdown' });
  const path = join(pages, name);
  if (!check) writeFileSync(path, page);
  else if (read(path) !== page) {
    console.error(`docs/reference/contracts/${name} is not current: run the script "reference" in contracts`);
    stale++;
  }
}
for (const path of globSync(join(pages, '*.md')).filter((one) => !wanted.has(basename(one)))) {
  if (!check) rmSync(path);
  else {
    console.error(`docs/reference/contracts/${basename(path)} is of no contract`);
    stale++;
  }
}
process.exit(stale === 0 ? 0 : 1);

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
