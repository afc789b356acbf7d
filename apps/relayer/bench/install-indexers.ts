import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const INSTALL_TIMEOUT_MS = 600_000;
/** Of npm's explanation. */
const SHOWN_LINES = 5;
/** Ponder's limiter of requests has no setting any more: it begins with 20 a second, and rises slowly to 500. */
const LIMITER = 'node_modules/ponder/dist/esm/rpc/index.js';
const LIMITS = ['INITIAL_MAX_RPS', 'MAX_RPS'];

/**
 * Installs Ponder and Subsquid into a folder, in the versions of the lockfile, and turns off Ponder's limiter.
 *
 * @returns why that was not possible; null when it was.
 * @throws Error when this version of Ponder has another limiter.
 */
export function installIndexers(folder: string): string | null {
  copyIndexers(folder);
  const { status, stderr, error } = spawnSync(
    'npm',
    // Not `ci`: registries lack some packages of other platforms, which `ci` demands.
    [
      'install',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
      '--fetch-retries=1',
      '--fetch-retry-mintimeout=1000',
    ],
    { cwd: folder, encoding: 'utf8', timeout: INSTALL_TIMEOUT_MS },
  );
  if (status !== 0) return error?.message ?? stderr.split('\n').slice(0, SHOWN_LINES).join('\n');
  turnOffLimiter(join(folder, LIMITER));
  return null;
}

/** Ponder finds its handlers by their path, and demands a server that no client asks here. */
function copyIndexers(folder: string): void {
  cpSync(fileURLToPath(new URL('indexers', import.meta.url)), folder, { recursive: true });
  mkdirSync(join(folder, 'src/api'), { recursive: true });
  renameSync(join(folder, 'ponder.handlers.ts'), join(folder, 'src/index.ts'));
  writeFileSync(join(folder, 'src/api/index.ts'), "import { Hono } from 'hono';\nexport default new Hono();\n");
}

function turnOffLimiter(path: string): void {
  let text = readFileSync(path, 'utf8');
  for (const name of LIMITS) {
    const pattern = new RegExp(`const ${name} = [\\d_e]+;`);
    if (!pattern.test(text)) throw new Error(`${path} has no ${name}: this version of Ponder limits in another way`);
    text = text.replace(pattern, `const ${name} = 1e9;`);
  }
  writeFileSync(path, text);
}
