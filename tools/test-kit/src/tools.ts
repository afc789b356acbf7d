import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCRIPTS = fileURLToPath(new URL('../../../scripts', import.meta.url));

/**
 * Installs tools that only some tests need.
 *
 * @param group a folder of scripts/tools.
 * @returns `require` of the group.
 * @throws Error with the output of the installation when it fails.
 */
export function requireTools(group: string): NodeJS.Require {
  execFileSync(process.execPath, [join(SCRIPTS, 'tools.mjs'), group], { stdio: ['ignore', 'ignore', 'pipe'] });
  return createRequire(join(SCRIPTS, 'tools', group, 'package.json'));
}

/** Returns the path of Foundry's cast, after installing it if it is missing. */
export function installCast(): string {
  const require = createRequire(requireTools('cast').resolve('@foundry-rs/cast/package.json'));
  const architecture = process.arch === 'x64' ? 'amd64' : process.arch;
  const manifest = require.resolve(`@foundry-rs/cast-${process.platform}-${architecture}/package.json`);
  return join(dirname(manifest), 'bin', 'cast');
}
