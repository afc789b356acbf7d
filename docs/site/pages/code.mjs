import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './routes.mjs';

const require = createRequire(import.meta.url);

/** The reference of the contracts from their NatSpec: a page for each. */
export function readContracts() {
  return readOutput('contracts', [join(ROOT, 'contracts/scripts/reference.mjs'), '--write']);
}

/** The reference of the SDK from its TSDoc: a page for each function, and one for the types of a module. */
export function readSdk() {
  const typedoc = join(require.resolve('typedoc/package.json'), '../bin/typedoc');
  const pages = readOutput('sdk', [typedoc, '--options', join(import.meta.dirname, '../typedoc.json'), '--out']);
  // The name index is that of a folder's own page.
  const rename = (text) => text.replaceAll('index/', 'main/');
  return new Map([...pages].map(([file, text]) => [rename(file), text.replaceAll(/\]\([^)]*\)/g, rename)]));
}

/** Runs a program that writes Markdown into a folder, its last argument. */
function readOutput(name, args) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-reference-'));
  try {
    execFileSync(process.execPath, [...args, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
    const files = globSync('**/*.md', { cwd: folder }).toSorted();
    return new Map(files.map((file) => [`docs/reference/${name}/${file}`, readFileSync(join(folder, file), 'utf8')]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
