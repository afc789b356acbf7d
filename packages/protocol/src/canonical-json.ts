/** The values of canonical JSON: no fractions, dates or undefined values. */
export type CanonicalValue =
  string | number | boolean | null | readonly CanonicalValue[] | { readonly [name: string]: CanonicalValue };

/**
 * Serializes a value to its canonical JSON for hashing (RFC 8785, integers only): no white space, and object keys in
 * the order of their UTF-16 code units.
 *
 * @throws TypeError for a value without a canonical form: a fraction, a number above 2^53, or a type that JSON lacks.
 */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!globalThis.Number.isSafeInteger(value))
      throw new TypeError(`${value} is not an integer that JSON can represent exactly`);
    return JSON.stringify(value);
  }
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`JSON cannot represent a ${typeof value}`);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

function isList(value: CanonicalValue): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
