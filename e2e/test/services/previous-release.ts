import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { toMigrations } from '@causeway/store/schema';
import type { Release } from '@causeway/testbed/services';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PNPM = ['--yes', 'pnpm@12.21.0'];
const SERVICES = ['api', 'relayer', 'gateway'] as const;
const MOST_OUTPUT_BYTES = 2 ** 26;

/** The previous release, built in its own folder. */
export interface PreviousRelease {
  readonly release: Release;
  readonly remove: () => Promise<void>;
}

/** Checks out the commit in `deploy/previous-release`, and builds its services. */
export async function buildPreviousRelease(): Promise<PreviousRelease> {
  const commit = readFileSync(join(ROOT, 'deploy/previous-release'), 'utf8').trim();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-previous-'));
  // The services' users must be able to enter.
  chmodSync(folder, 0o755);
  const git = async (...words: string[]) => run('git', ['-C', ROOT, ...words]);
  const remove = async () => {
    await git('worktree', 'remove', '--force', folder).catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    // A shallow clone lacks the commit.
    await git('cat-file', '-e', `${commit}^{commit}`).catch(async () => git('fetch', '--depth=1', 'origin', commit));
    await git('worktree', 'add', '--detach', folder, commit);
    const { PATH, HOME } = process.env;
    const options = { cwd: folder, env: { PATH, HOME, CI: 'true' }, maxBuffer: MOST_OUTPUT_BYTES };
    await run('npx', [...PNPM, 'install', '--frozen-lockfile', '--prefer-offline'], options);
    const filters = SERVICES.map((service) => `--filter=@causeway/${service}`);
    await run('npx', [...PNPM, 'exec', 'node', 'scripts/turbo.mjs', 'run', 'build', 'compile', ...filters], options);
    return { release: describeRelease(folder), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

function describeRelease(folder: string): Release {
  const bundles = Object.fromEntries(
    SERVICES.map((service) => [service, join(folder, `apps/${service}/dist/bundle/main.js`)]),
  ) as Release['bundles'];
  const scripts = join(folder, 'packages/store/prisma/migrations');
  const names = readdirSync(scripts)
    .filter((name) => /^\d{14}_/.test(name))
    .toSorted();
  const migrations = toMigrations(
    names.map((name) => ({ name, script: readFileSync(join(scripts, name, 'migration.sql'), 'utf8') })),
  );
  return { bundles, migrations };
}
