import { expect, it } from '@jest/globals';
import { bytesToHex } from '@ethereumjs/util';
import fc from 'fast-check';
import { toHex } from './call-tree.js';

it('writes the hex of any bytes, also of a part of a longer array', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.nat({ max: 5 }), (bytes, start) => {
      const part = bytes.subarray(start);
      expect(toHex(part)).toBe(bytesToHex(part));
    }),
  );
});
