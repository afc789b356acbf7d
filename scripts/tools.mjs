import './check-node.mjs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Usage: node scripts/tools.mjs <group>. Installs the tools of a group: a folder of scripts/tools, which is a workspace
// of its own, so that the demo does not fetch them.

/**
 * Installs a group, as far as it has changed.
 *
 * @param folder of the group, when it has a workspace elsewhere.
 * @returns `require` of the group.
 * @throws Error with the output of the installation when it fails.
 */
export function installTools(group, folder = join(import.meta.dirname, 'tools', group)) {
  const words = [
    '--yes',
    '--prefer-offline',
    'pnpm@12.21.0',
    'install',
    '--frozen-lockfile',
    '--filter',
    '.',
    '--reporter',
    'append-only',
  ];
  const { status, stdout, stderr, error } = spawnSync('npx', words, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`The tools in ${folder} were not installed: ${error ?? `${stdout}${stderr}`}`);
  return createRequire(join(folder, 'package.json'));
}

if (import.meta.main) installTools(process.argv[2]);
