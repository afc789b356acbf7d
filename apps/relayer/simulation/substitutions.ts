import { registerHooks } from 'node:module';
import type { Change } from './plants.ts';
import { findPlant } from './verdict-plants.ts';

// Replaces parts of modules before they are loaded: a planted bug, and viem's keccak-256. The one in WebAssembly
// remembers its answers, which are the same: three nodes show equal headers, and hashing those was a fifth of the work.

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

/** A bug has no place in the code as it is built. */
export class MisplantedError extends Error {
  override readonly name = 'MisplantedError';
}

/**
 * Replaces them in every module that this thread loads afterwards.
 *
 * @param plant the name of a bug, or null.
 * @returns the function that throws when a module with the bug was not loaded.
 */
export function substituteModules(plant: string | null): () => void {
  const changes = plant === null ? [] : (findPlant(plant)?.changes ?? []);
  const left = new Set(changes);
  registerHooks({
    load: (url, context, next) => {
      if (KECCAK.test(url)) return { format: 'module', shortCircuit: true, source: KECCAK_SOURCE };
      const loaded = next(url, context);
      const own = changes.filter(({ module }) => url.endsWith(module));
      if (own.length === 0) return loaded;
      for (const change of own) left.delete(change);
      return { ...loaded, source: own.reduce(applyChange, toText(loaded.source)) };
    },
  });
  return () => {
    for (const { module } of left) throw new MisplantedError(`${module} is not loaded: the bug does not fit`);
  };
}

/**
 * Makes a change of a module in its source.
 *
 * @throws MisplantedError unless its text occurs once.
 */
export function applyChange(source: string, { module, from, to }: Change): string {
  const parts = source.split(from);
  if (parts.length === 2) return parts.join(to);
  throw new MisplantedError(`${module} has ${parts.length - 1} places like "${from}": the bug does not fit`);
}

function toText(source: unknown): string {
  return source instanceof Uint8Array ? Buffer.from(source).toString() : (source as string);
}
