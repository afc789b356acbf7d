import { registerHooks } from 'node:module';

// Preloaded with `node --import`: viem's keccak-256 in WebAssembly instead of JavaScript. The values are the same. The
// reader of the relayer hashes the header of each block: reading 60 simulated blocks takes 9 ms instead of 12.

const REPLACED = /\/viem\/_esm\/utils\/hash\/keccak256\.js$/;

const source = `
import { createKeccak } from ${JSON.stringify(import.meta.resolve('hash-wasm'))};
import { isHex } from '../data/isHex.js';
import { toBytes } from '../encoding/toBytes.js';
const hasher = await createKeccak(256);
export function keccak256(value, to) {
  hasher.init().update(isHex(value, { strict: false }) ? toBytes(value) : value);
  return to === 'bytes' ? hasher.digest('binary') : '0x' + hasher.digest('hex');
}`;

registerHooks({
  load: (url, context, next) =>
    REPLACED.test(url) ? { format: 'module', shortCircuit: true, source } : next(url, context),
});
