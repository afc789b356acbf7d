import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

// Removes all files of builds, tests and the task cache. Keeps node_modules and `.causeway`, which holds the state of a
// stack.
const root = join(import.meta.dirname, '..');
const BUILT = ['dist', 'coverage', '.turbo'];
const BUILT_ELSEWHERE = {
  contracts: ['artifacts', 'cache', 'types'],
  'packages/store': ['src/generated'],
  'docs/site': ['generated', '.astro'],
  '.': ['node_modules/.cache', '.release', '.images'],
};

const packages = ['packages', 'apps', 'tools'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => join(folder, name)),
);
for (const folder of ['.', 'contracts', 'e2e', 'docs/site', ...packages]) {
  for (const name of [...BUILT, ...(BUILT_ELSEWHERE[folder] ?? [])]) {
    const path = join(root, folder, name);
    if (!existsSync(path)) continue;
    rmSync(path, { recursive: true });
    console.log(join(folder, name));
  }
}
