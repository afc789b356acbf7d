import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Lists the registry packages in a bundle, each once. Workspace packages are linked, so their files are not below a
 * node_modules folder.
 *
 * @param files Paths in esbuild's metafile.
 * @returns folder and manifest of each, sorted by name and version.
 */
export function listLibraries(files) {
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)]
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .toSorted((one, other) => `${one.name} ${one.version}`.localeCompare(`${other.name} ${other.version}`, 'en'));
}
