import { readFileSync } from 'node:fs';
import { matchesGlob, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

type Exports = Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;

interface Manifest {
  readonly exports: Exports;
  readonly publishConfig: { readonly exports: Exports };
  readonly files: readonly string[];
  readonly bin?: unknown;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const PACKAGE = new URL('../../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', PACKAGE), 'utf8')) as Manifest;

/** Follows the relative imports of a module, and collects the packages that the modules import statically. */
function collectPackages(module: URL, seen = new Set<string>()): Set<string> {
  const packages = new Set<string>();
  const path = fileURLToPath(module);
  if (seen.has(path)) return packages;
  seen.add(path);
  for (const [, specifier = ''] of readFileSync(path, 'utf8').matchAll(
    /^(?:import|export)\b(?:[^;='"]*? from)? ["']([^"']+)["'];/gm,
  )) {
    if (specifier.startsWith('.')) {
      for (const name of collectPackages(new URL(specifier, module), seen)) packages.add(name);
    } else if (!specifier.startsWith('node:')) packages.add(specifier.split('/')[0] ?? specifier);
  }
  return packages;
}

describe('the exports of the package', () => {
  it.each([
    ['./abi', []],
    ['./abi-items', []],
    ['./assets', []],
    ['./bytecode', []],
    ['./deployed-code', []],
    ['./address-book', []],
    ['./address-book-schema', ['zod']],
    ['./deploy', ['viem', 'zod']],
    ['./typechain', ['ethers']],
  ])('import for %s only %j', (name, expected) => {
    const target = manifest.exports[name];
    if (typeof target !== 'object') throw new Error(`no export ${name}`);
    expect([...collectPackages(new URL(target.default, PACKAGE))].toSorted()).toEqual(expected);
  });

  it('import no library', () => {
    expect(manifest.dependencies).toBeUndefined();
  });

  it('are published unless they deploy, and are not executable', () => {
    const isInternal = (name: string) => /^\.\/(deploy|bytecode|deployed-code)(\/|$)/.test(name);
    const meant = Object.entries(manifest.exports).filter(([name]) => !isInternal(name));
    expect(manifest.publishConfig.exports).toEqual(Object.fromEntries(meant));
    expect(manifest.bin).toBeUndefined();
  });

  it('are packaged with every file that they import', () => {
    const isPacked = (file: string) =>
      manifest.files.some(
        (pattern) => !pattern.startsWith('!') && (matchesGlob(file, pattern) || file.startsWith(`${pattern}/`)),
      );
    for (const target of Object.values(manifest.publishConfig.exports)) {
      if (typeof target !== 'object') continue;
      const imported = new Set<string>();
      collectPackages(new URL(target.default, PACKAGE), imported);
      const files = [...imported].map((file) => relative(fileURLToPath(PACKAGE), file));
      expect(files.filter((file) => !isPacked(file))).toEqual([]);
      expect(isPacked(target.types.slice(2))).toBe(true);
    }
  });
});
