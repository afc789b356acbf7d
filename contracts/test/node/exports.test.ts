import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
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
    ['./admin', ['viem', 'zod']],
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

  it('bring no library along', () => {
    expect(manifest.dependencies).toBeUndefined();
  });
});
