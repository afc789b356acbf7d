import { createKeccak } from 'hash-wasm';
import { keccak256 as portableKeccak256 } from 'viem';

let hash = (bytes: Uint8Array): Uint8Array => portableKeccak256(bytes, 'bytes');

// Not awaited at the top level, which would shut out `require` and everything that loads modules as Jest does.
void createKeccak(256).then(
  (hasher) => {
    hash = (bytes) => hasher.init().update(bytes).digest('binary');
  },
  () => undefined, // A platform without WebAssembly stays with what it has.
);

/**
 * Keccak-256 (Yellow Paper, section 4.1), in JavaScript for the first milliseconds and then in WebAssembly, which is ten times as fast: a chain
 * hashes everything it keeps.
 *
 * @returns 32 bytes that are the caller's own.
 */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return hash(bytes);
}
