import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { formatAmount, type Asset } from '@causeway/protocol';

// What all answers have in common, on the recorded answer of every endpoint.

const examples = JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Record<
  string,
  { readonly response: unknown }
>;

/** The objects inside an answer, each with the asset that it or an object around it names. */
function* objectsIn(value: unknown, asset: Asset | null = null): Generator<[Record<string, unknown>, Asset | null]> {
  if (value === null || typeof value !== 'object') return;
  const fields = value as Record<string, unknown>;
  const named = (fields['token'] ?? fields['asset'] ?? asset) as Asset | null;
  if (!Array.isArray(value)) yield [fields, named];
  for (const each of Object.values(fields)) yield* objectsIn(each, named);
}

describe.each(Object.entries(examples))('in the answer of %s', (name, { response }) => {
  // An intent names no asset: it is always XCN.
  const objects = [...objectsIn(response, name === 'registerIntent' ? 'XCN' : null)];

  it('times are ISO 8601 in UTC', () => {
    for (const [fields] of objects) {
      for (const [field, value] of Object.entries(fields)) {
        if (/(?:At|Until|Time|until|Since)$/.test(field) && value !== null)
          expect([field, value]).toEqual([field, expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)]);
      }
    }
  });

  it('amounts are atomic units, and each has its decimal beside it', () => {
    for (const [fields, asset] of objects) {
      for (const [field, value] of Object.entries(fields)) {
        if (/[aA]mount(?:Atomic)?$/.test(field) && typeof value !== 'object')
          expect([field, value]).toEqual([field, expect.stringMatching(/^\d+$/)]);
        if (!/[fF]ormatted$/.test(field)) continue;
        const atomic = field === 'formatted' ? 'amount' : field.replace(/Formatted$/, '');
        const amount = fields[atomic] ?? fields[`${atomic}Atomic`];
        expect([field, value]).toEqual([field, formatAmount(asset!, BigInt(amount as string))]);
      }
    }
  });
});
