import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { BUNDLE_OPTIONS } from './bundle-options.mjs';
import './check-node.mjs';

// Usage, in a service's folder: node ../../scripts/bundle.mjs [<first module of a thread> ...]
// Packs dist/main.js and the threads' first modules, with the libraries they import, into the few files of dist/bundle.
// A start reads these and not two thousand. See docs/decisions/0033.

// Names of chunks follow their contents: those of the last build would stay.
rmSync('dist/bundle', { recursive: true, force: true });

const { warnings, metafile } = await build({
  ...BUNDLE_OPTIONS,
  metafile: true,
  entryPoints: ['dist/main.js', ...process.argv.slice(2)],
  entryNames: '[name]',
  outdir: 'dist/bundle',
});
if (warnings.length > 0) process.exitCode = 1;
writeFileSync('dist/bundle/LICENSES.txt', collectLicences(Object.keys(metafile.inputs)));

/** The licences of the packages in a bundle: most of them demand that their text goes along. */
function collectLicences(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  const texts = [...new Set(folders)].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const own = readdirSync(folder).filter((file) => /^licen[cs]e(\.(md|txt))?$/i.test(file));
    return [`${name} ${version} (${license})`, ...own.map((file) => readFileSync(join(folder, file), 'utf8'))].join(
      '\n',
    );
  });
  return `${texts.toSorted().join('\n\n')}\n`;
}
