import './check-node.mjs';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';

// Usage: node scripts/tools.mjs <group>. Installs the tools of a group, a folder of scripts/tools, which is a separate
// workspace, so that the demo does not download them.

/**
 * Installs a group if it has changed.
 *
 * @param folder of the group, if its workspace is elsewhere.
 * @returns `require` of the group.
 * @throws Error with the output of a failed installation.
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
  if (status !== 0) throw new Error(`The tools in ${folder} could not be installed: ${error ?? `${stdout}${stderr}`}`);
  return createRequire(join(folder, 'package.json'));
}

if (import.meta.main) installTools(process.argv[2]);
