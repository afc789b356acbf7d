/** The values that canonical JSON can hold: no fractions, no dates, and no undefined values. */
export type CanonicalValue =
  string | number | boolean | null | readonly CanonicalValue[] | { readonly [name: string]: CanonicalValue };

/**
 * The one JSON text of a value, for hashing (RFC 8785, for whole numbers): no white space, and the names of every
 * object in the order of their UTF-16 code units.
 *
 * @throws TypeError when a value has no canonical form: a fraction, a number above 2^53, or what JSON does not have.
 */
export function canonicalJson(value: CanonicalValue): string {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!globalThis.Number.isSafeInteger(value))
      throw new TypeError(`${value} is not a whole number that JSON holds exactly`);
    return JSON.stringify(value);
  }
  if (isList(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`JSON does not have a ${typeof value}`);
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

function isList(value: CanonicalValue): value is readonly CanonicalValue[] {
  return Array.isArray(value);
}
