import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

// The package as its installers receive it. These tests read the built files, so `build` comes first.

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const require = createRequire(import.meta.url);

/** Every workspace package file and outside package that a file reaches through imports. */
function walk(entry: string): { files: Set<string>; packages: Set<string> } {
  const files = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const source = readFileSync(file, 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    // A field may be named 'from'.
    for (const [, specifier = ''] of source.matchAll(/(?<!['"])(?:\bfrom|\bimport)\s*\(?\s*['"]([^'"]+)['"]/g)) {
      const target = locate(specifier, file);
      if (target === null) packages.add(specifier);
      else visit(target);
    }
  };
  visit(entry);
  return { files, packages };
}

function locate(specifier: string, from: string): string | null {
  const extension = from.endsWith('.d.ts') ? '.d.ts' : '.js';
  if (specifier.startsWith('.')) return resolve(dirname(from), specifier.replace(/\.js$/, extension));
  if (!specifier.startsWith('@causeway/')) return null;
  const [name, subpath] = splitSpecifier(specifier);
  const folder = getFolder(name);
  const target = manifest(folder).exports[subpath];
  if (target === undefined) throw new Error(`${name} does not export ${subpath}`);
  return resolve(folder, extension === '.d.ts' ? target.types : target.default);
}

function splitSpecifier(specifier: string): [name: string, subpath: string] {
  const [scope, name, ...rest] = specifier.split('/');
  return [`${scope}/${name}`, ['.', ...rest].join('/')];
}

const getFolder = (name: string): string =>
  name === '@causeway/protocol' ? ROOT : resolve(ROOT, 'node_modules', name);
const manifest = (folder: string): Manifest => require(resolve(folder, 'package.json')) as Manifest;
const built = (entry: string, kind: 'types' | 'default'): string => {
  const target = manifest(ROOT).exports[entry];
  if (target === undefined) throw new Error(`no export ${entry}`);
  return resolve(ROOT, target[kind]);
};

/** The names of all packages that an installation of `folder` brings, through the packages of this repository. */
function installed(folder: string): string[] {
  return Object.keys(manifest(folder).dependencies ?? {}).flatMap((name) =>
    name.startsWith('@causeway/') ? [name, ...installed(getFolder(name))] : [name],
  );
}

describe('the published package', () => {
  it('has every file that its exports name', () => {
    for (const entry of Object.keys(manifest(ROOT).exports)) {
      expect(existsSync(built(entry, 'types'))).toBe(true);
      expect(existsSync(built(entry, 'default'))).toBe(true);
    }
  });

  it.each(['types', 'default'] as const)('reaches only viem from the main entry (%s)', (kind) => {
    const { files, packages } = walk(built('.', kind));
    expect(files.size).toBeGreaterThan(10);
    expect([...packages]).toEqual(['viem']);
  });

  it('reaches viem and zod from the schemas', () => {
    expect([...walk(built('./rest', 'default')).packages].toSorted()).toEqual(['viem', 'zod']);
  });

  it('has no zod in a bundle of the main entry', async () => {
    const { metafile } = await build({
      entryPoints: [built('.', 'default')],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      external: ['viem'],
      logLevel: 'silent',
    });
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(10);
    expect(inputs.filter((path) => path.includes('zod'))).toEqual([]);
  });

  it('drops the rest of the ABIs from a program that names one function', async () => {
    const contents = `export { burnAbi } from ${JSON.stringify(built('./abi', 'default'))};`;
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: ROOT },
      bundle: true,
      write: false,
      format: 'esm',
      logLevel: 'silent',
    });
    const text = outputFiles[0]?.text ?? '';
    expect(text).toContain('burn');
    expect(text).not.toMatch(/depositNative|withdrawNative|AboveMaximum/);
  });

  it('installs the contracts and nothing else: libraries are of the installer', () => {
    expect(installed(ROOT)).toEqual(['@causeway/contracts']);
    expect(Object.keys(manifest(ROOT).peerDependencies)).toEqual(['ethers', 'viem', 'zod']);
    expect(manifest(ROOT).peerDependenciesMeta).toEqual({ ethers: { optional: true }, zod: { optional: true } });
  });

  it('mentions ethers in no declaration of the main entry, only in those of the bindings', () => {
    const mentions = (entry: string) =>
      [...walk(built(entry, 'types')).files].filter((file) => readFileSync(file, 'utf8').includes('ethers'));
    expect(mentions('.')).toEqual([]);
    expect(mentions('./abi')).toEqual([]);
    expect(mentions('./ethers')).not.toEqual([]);
  });

  it('checks the version of Node.js without importing anything', () => {
    const { files, packages } = walk(built('./node-version', 'default'));
    expect([files.size, packages.size]).toEqual([1, 0]);
  });
});
