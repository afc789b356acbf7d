import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { formatAmount, type Asset } from '@causeway/protocol';

// Checks the rules of all responses on the recorded response of every endpoint.

const examples = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Record<
  string,
  { readonly response: unknown }
>;

/** Yields the objects inside a response, each with the asset that it or an enclosing object names. */
function* objectsIn(value: unknown, asset: Asset | null = null): Generator<[Record<string, unknown>, Asset | null]> {
  if (value === null || typeof value !== 'object') return;
  const fields = value as Record<string, unknown>;
  const named = (fields['token'] ?? fields['asset'] ?? asset) as Asset | null;
  if (!Array.isArray(value)) yield [fields, named];
  for (const each of Object.values(fields)) yield* objectsIn(each, named);
}

describe.each(Object.entries(examples))('in the answer of %s', (name, { response }) => {
  // An intent names no asset; it is always XCN.
  const objects = [...objectsIn(response, name === 'registerIntent' ? 'XCN' : null)];

  it('times are ISO 8601 in UTC', () => {
    const times = objects.flatMap(([fields]) =>
      Object.entries(fields).filter(([field, value]) => /(?:At|Until|Time|until|Since)$/.test(field) && value !== null),
    );
    const wrong = times.filter(([, value]) => !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(String(value)));
    expect(wrong).toEqual([]);
  });

  it('amounts are atomic units, each with a formatted decimal', () => {
    const wrong = objects.flatMap(([fields, asset]) =>
      Object.entries(fields).filter(([field, value]) => {
        if (/[aA]mount(?:Atomic)?$/.test(field) && typeof value !== 'object')
          return !/^"\d+"$/.test(JSON.stringify(value));
        if (!/[fF]ormatted$/.test(field)) return false;
        const atomic = field === 'formatted' ? 'amount' : field.replace(/Formatted$/, '');
        const amount = fields[atomic] ?? fields[`${atomic}Atomic`];
        if (value === null && amount === undefined) return false;
        return asset === null || formatAmount(asset, BigInt(amount as string)) !== value;
      }),
    );
    expect(wrong).toEqual([]);
  });
});
