import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { transformSync } from 'esbuild';
import type { Change } from './plants.ts';
import { findPlant } from './verdict-plants.ts';

// Replaces modules before they are loaded: those with a planted bug, and viem's keccak-256. Its substitute in
// WebAssembly caches hashes: three nodes show equal headers, and hashing those took a fifth of the time.

const ROOT = new URL('../../../', import.meta.url);
/** Node's own type stripping does not support decorators. */
const COMPILER = {
  loader: 'ts',
  tsconfigRaw: { compilerOptions: { experimentalDecorators: true, target: 'ES2024' } },
} as const;
const KECCAK = /\/viem\/_esm\/utils\/hash\/keccak256\.js$/;
const KECCAK_SOURCE = `
import { createKeccak } from ${JSON.stringify(import.meta.resolve('hash-wasm'))};
import { hexToBytes } from '../encoding/toBytes.js';
const hasher = await createKeccak(256);
const known = new Map();
export function keccak256(value, to) {
  const isHex = typeof value === 'string';
  const key = isHex ? value : ' ' + Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('latin1');
  let hash = known.get(key);
  if (hash === undefined) {
    hash = '0x' + hasher.init().update(isHex ? hexToBytes(value) : value).digest('hex');
    if (known.size >= 20_000) known.clear();
    known.set(key, hash);
  }
  return to === 'bytes' ? hexToBytes(hash) : hash;
}`;

/** A planted change does not match the source. */
export class MisplantedError extends Error {
  override readonly name = 'MisplantedError';
}

/**
 * Replaces these modules in everything that this thread loads afterwards.
 *
 * @param plant the name of a bug, or null.
 * @returns a function that throws when a file with the bug was not loaded.
 */
export function substituteModules(plant: string | null): () => void {
  const changes = plant === null ? [] : (findPlant(plant)?.changes ?? []);
  const left = new Set(changes.map(({ file }) => file));
  registerHooks({
    load: (url, context, next) => {
      if (KECCAK.test(url)) return { format: 'module', shortCircuit: true, source: KECCAK_SOURCE };
      const file = [...left].find((each) => url.endsWith(`/${getBuiltFile(each)}`));
      if (file === undefined) return next(url, context);
      left.delete(file);
      const { code } = transformSync(plantChanges(file, changes), COMPILER);
      return { format: 'module', shortCircuit: true, source: code };
    },
  });
  return () => {
    for (const file of left) throw new MisplantedError(`${file} is not loaded, so the bug cannot be planted`);
  };
}

/**
 * The source of a file of the repository, with the changes that apply to it.
 *
 * @throws MisplantedError unless the text of each change occurs exactly once.
 */
export function plantChanges(file: string, changes: readonly Change[]): string {
  const source = readFileSync(new URL(file, ROOT), 'utf8');
  return changes.filter((change) => change.file === file).reduce(applyChange, source);
}

function applyChange(source: string, { file, from, to }: Change): string {
  const parts = source.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new MisplantedError(
    `${file} has ${parts.length - 1} places like "${from}" instead of one: correct the planted bug`,
  );
}

function getBuiltFile(file: string): string {
  return file.replace('/src/', '/dist/').replace(/\.ts$/, '.js');
}
