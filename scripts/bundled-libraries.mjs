import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The packages of the registry that files of a bundle come from, each once. Packages of the workspace are linked: their
 * files are not below a node_modules folder.
 *
 * @param files Paths, as the metafile of esbuild lists them.
 * @returns folder and manifest of each, sorted by name and version.
 */
export function listLibraries(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)]
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .toSorted((one, other) => `${one.name} ${one.version}`.localeCompare(`${other.name} ${other.version}`, 'en'));
}
