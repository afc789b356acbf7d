import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCatalogVersion, ReleaseError, run } from './workspace.mjs';

/**
 * Installs tarballs with npm into an empty folder, as a partner does, with all peers in the catalog's versions.
 *
 * @returns the folder. It is outside the repository, so that no package resolves from there by accident.
 */
export function installPackages(packages) {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-release-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const own = new Set(packages.map(({ name }) => name));
  const peers = new Set(packages.flatMap(({ manifest }) => Object.keys(manifest.peerDependencies ?? {})));
  const others = [...peers].filter((peer) => !own.has(peer)).map((peer) => `${peer}@${getCatalogVersion(peer)}`);
  const words = ['install', ...packages.map(({ tarball }) => tarball), ...others];
  run('npm', [...words, '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'], {
    cwd: folder,
  });
  return folder;
}

/**
 * Lists the entry points of an installed package.
 *
 * @returns the specifier, the file that Node loads, and the declarations (null for data) of each.
 */
export function listEntries({ name }, folder) {
  const installed = join(folder, 'node_modules', name);
  const { exports = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  const map = typeof exports === 'string' || !('.' in exports || hasPaths(exports)) ? { '.': exports } : exports;
  return Object.entries(map).flatMap(([key, target]) => {
    // A package that also supports CommonJS has its conditions inside `import`.
    const chosen = target.import ?? target;
    const file = typeof chosen === 'string' ? chosen : chosen.default;
    const types = chosen.types ?? target.types ?? null;
    const paths = key.includes('*') ? globSync(file, { cwd: installed }) : [file];
    return paths.map((path) => ({
      specifier: key.includes('*') ? join(name, path) : join(name, key),
      file: join(installed, path),
      types: types === null || !types.endsWith('.d.ts') ? null : join(installed, types),
    }));
  });
}

const hasPaths = (exports) => Object.keys(exports).some((key) => key.startsWith('.'));

/** Imports every entry point in Node, and runs every command with --help, --version and an unknown option. */
export function useInstalled(packages, folder) {
  const entries = packages.flatMap((each) => listEntries(each, folder));
  const lines = entries.map(({ specifier, file }) => {
    const options = file.endsWith('.json') ? ', { with: { type: "json" } }' : '';
    return `await import(${JSON.stringify(specifier)}${options});`;
  });
  writeFileSync(join(folder, 'import.mjs'), `${lines.join('\n')}\n`);
  run(process.execPath, ['import.mjs'], { cwd: folder });
  const commands = packages.flatMap(({ name, manifest, version }) =>
    listCommands(name, manifest).map((command) => ({ command, version })),
  );
  for (const each of commands) useCommand(each, folder);
  return { entries: entries.length, commands: commands.length };
}

/** @throws ReleaseError if the command does not behave as documented in its help. */
function useCommand({ command, version }, folder) {
  const program = join(folder, 'node_modules/.bin', command);
  const help = run(process.execPath, [program, '--help'], { cwd: folder });
  if (!help.includes('--version')) return;
  const isForPrograms = help.includes('--json ');
  const answers = {
    '--version': `^0 (${command} )?${RegExp.escape(version)}\n$`,
    '--nonsense': `^${isForPrograms ? 2 : 1} error: unknown option '--nonsense'\n`,
    ...(isForPrograms ? { '--nonsense --json': '^2 {"error":"UsageError",.*"field":"nonsense".*}\n$' } : {}),
  };
  for (const [words, answer] of Object.entries(answers)) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words.split(' ')], {
      encoding: 'utf8',
    });
    if (!new RegExp(answer).test(`${status} ${stdout}${stderr}`))
      throw new ReleaseError(`${command} ${words} ended with ${status}: ${stdout}${stderr}`);
  }
}

/** Returns the names of a package's commands. */
export function listCommands(name, { bin = {} }) {
  return typeof bin === 'string' ? [name.split('/').at(-1)] : Object.keys(bin);
}
