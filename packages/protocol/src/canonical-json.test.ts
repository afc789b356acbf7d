import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, type CanonicalValue } from './canonical-json.js';

describe('canonicalJson', () => {
  it.each<readonly [CanonicalValue, string]>([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ '€': 1, '\r': 2, '1': 3, '😂': 4, ö: 5 }, '{"\\r":2,"1":3,"ö":5,"€":1,"😂":4}'],
    [{ a: { d: 'é"\\', c: {} } }, '{"a":{"c":{},"d":"é\\"\\\\"}}'],
    [-0, '0'],
  ])('writes %j in one way', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each([[0.5], [2 ** 53], [0 / 0], [undefined], [{ a: undefined }], [1n]])('refuses %p', (value) => {
    expect(() => canonicalJson(value as CanonicalValue)).toThrow(TypeError);
  });

  it('does not depend on the order of names, and keeps the value', () => {
    const value = fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.maxSafeInteger(), fc.boolean()));
    fc.assert(
      fc.property(value, (given) => {
        const reversed = Object.fromEntries(Object.entries(given).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(given));
        expect(JSON.parse(canonicalJson(given))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});
