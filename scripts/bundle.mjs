import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE_OPTIONS, BESIDE } from './bundle-options.mjs';
import { listLibraries } from './bundled-libraries.mjs';
import './check-node.mjs';

// Usage, in a service's folder: node ../../scripts/bundle.mjs [<entry module of a thread> ...]
// Bundles dist/main.js and the threads' entry modules, with their libraries, into a few files in dist/bundle, so that a
// start does not read two thousand files. See docs/decisions/toolchain.md.

// Chunk names depend on their contents, so chunks of the last build would stay.
rmSync('dist/bundle', { recursive: true, force: true });

const { warnings, metafile } = await build({
  ...BUNDLE_OPTIONS,
  metafile: true,
  entryPoints: ['dist/main.js', ...process.argv.slice(2)],
  entryNames: '[name]',
  outdir: 'dist/bundle',
});
if (warnings.length > 0) process.exitCode = 1;
const libraries = listLibraries(Object.keys(metafile.inputs));
writeFileSync('dist/bundle/LICENSES.txt', collectLicences(libraries));
// An image needs the packages next to the bundle, and lists the libraries in it.
writeFileSync('dist/bundle.json', JSON.stringify({ beside: listBeside(metafile), libraries: libraries.map(describe) }));

/** Collects the licences of the packages in a bundle, most of which require their text to be included. */
function collectLicences(packages) {
  const texts = packages.map(({ folder, name, version, license }) => {
    const own = readdirSync(folder).filter((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file));
    return [`${name} ${version} (${license})`, ...own.map((file) => readFileSync(join(folder, file), 'utf8'))].join(
      '\n',
    );
  });
  return `${texts.join('\n\n')}\n`;
}

/** Lists the packages next to the bundle that its code imports. */
function listBeside({ outputs }) {
  const imported = new Set(Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path)));
  return BESIDE.filter((name) => imported.has(name));
}

function describe({ name, version, license }) {
  return { name, version, license };
}
