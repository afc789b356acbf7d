import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as Library from '../src/index.js';

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));

/** A project that uses the published form of the package. */
export interface Project {
  readonly folder: string;
  readonly library: typeof Library;
}

/** Packs the package and returns the path of the archive. */
export function pack(): string {
  const folder = makeFolder();
  const words = ['--yes', 'pnpm@12.21.0', 'pack', '--pack-destination', folder];
  execFileSync('npx', words, { cwd: PACKAGE, stdio: 'ignore' });
  const [archive] = readdirSync(folder);
  if (archive === undefined) throw new Error('pnpm pack made no archive');
  return join(folder, archive);
}

/** Unpacks the archive into a project, with only its public dependencies. */
export async function makeProject(): Promise<Project> {
  const archive = pack();
  const folder = makeFolder();
  const modules = join(folder, 'node_modules');
  const unpacked = join(modules, '@causeway', 'stack');
  mkdirSync(unpacked, { recursive: true });
  execFileSync('tar', ['-xzf', archive, '--strip-components=1', '-C', unpacked]);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(PACKAGE, 'package.json'), 'utf8'),
  ) as Record<'dependencies' | 'optionalDependencies', object>;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    // An optional package of another platform.
    if (!existsSync(join(PACKAGE, 'node_modules', name))) continue;
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(PACKAGE, 'node_modules', name), join(modules, name));
  }
  const library = (await import(join(unpacked, 'dist', 'index.js'))) as typeof Library;
  return { folder, library };
}

export function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), 'causeway-packed-'));
}

/** Returns the code blocks of docs/integrate/stack.md by the name in their first line. */
export function readBlocks(): ReadonlyMap<string, string> {
  const text = readFileSync(join(PACKAGE, '../../docs/integrate/stack.md'), 'utf8');
  const blocks = [...text.matchAll(/```js\n\/\/ ([\w.-]+)[^\n]*\n(.*?)```/gs)];
  return new Map(blocks.map(([, name = '', code = '']) => [name, code]));
}
