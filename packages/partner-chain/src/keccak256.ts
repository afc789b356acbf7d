import { createKeccak } from 'hash-wasm';
import { keccak256 as portableKeccak256 } from 'viem';

let hash = (bytes: Uint8Array): Uint8Array => portableKeccak256(bytes, 'bytes');

// No top-level await, because `require` and Jest cannot load such a module.
void createKeccak(256).then(
  (hasher) => {
    hash = (bytes) => hasher.init().update(bytes).digest('binary');
  },
  () => undefined, // A platform without WebAssembly keeps the JavaScript version.
);

/**
 * Computes Keccak-256 (Yellow Paper, section 4.1). It runs in JavaScript for the first milliseconds, then in
 * WebAssembly, which is ten times as fast.
 *
 * @returns 32 bytes, which later calls do not overwrite.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hash(bytes);
}
