import { randomBytes } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createKeccak } from 'hash-wasm';
import { keccak256 as referenceKeccak256 } from 'viem';
import { keccak256 } from './keccak256.js';

// By then the module's hasher, which was requested earlier, has loaded too.
beforeAll(async () => {
  await createKeccak(256);
  await setImmediate();
});

describe('keccak256', () => {
  // Sizes around the block of the sponge (136 bytes) and the buffer of the library (16 KiB).
  it.each([0, 1, 20, 32, 135, 136, 137, 272, 4_096, 16_383, 16_384, 16_385, 131_072])(
    'hashes %i bytes like another implementation',
    (length) => {
      const bytes = Uint8Array.from(randomBytes(length));
      expect(keccak256(bytes)).toEqual(referenceKeccak256(bytes, 'bytes'));
    },
  );

  it('hashes a part of a buffer, and returns bytes that the next hash does not overwrite', () => {
    const whole = Uint8Array.from(randomBytes(64));
    const first = keccak256(whole.subarray(7, 39));
    keccak256(whole);
    expect(first).toEqual(referenceKeccak256(whole.slice(7, 39), 'bytes'));
    expect(first.buffer.byteLength).toBe(32);
  });
});
