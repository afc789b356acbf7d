import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { address } from './address.js';
import { blockNumberOrTag } from './block-number-or-tag.js';
import { blockParameter } from './block-parameter.js';
import { callRequest } from './call-request.js';
import { data } from './data.js';
import { hash } from './hash.js';
import { percentiles } from './percentiles.js';
import { quantity64 } from './quantity-64.js';
import { ASK_SCHEMA, quickCheckOf } from './quick-check.js';

const ADDRESS = '0x000000000000000000000000000000000000dEaD';
const SCHEMAS: readonly (readonly [string, z.ZodType])[] = [
  ['address', address],
  ['hash', hash],
  ['data', data],
  ['quantity64', quantity64],
  ['blockNumberOrTag', blockNumberOrTag],
  ['blockParameter', blockParameter],
  ['blockParameter with a default', blockParameter.default('latest')],
  ['callRequest', callRequest],
  ['null or left out', z.null().optional()],
  ['percentiles with a default', percentiles.default([])],
];

/** Texts that are hex or nearly so, of the lengths that matter. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom('latest', 'earliest', 'pending', 'safe', 'finalized', 'Latest', ' latest', '0x', '0X00', '0x0', ''),
  fc
    .tuple(
      fc.constantFrom('0x', '0X', '', ' 0x'),
      fc.oneof(
        ...[0, 1, 2, 15, 16, 17, 39, 40, 41, 63, 64, 65].map((length) =>
          fc.stringMatching(RegExp(`^[0-9a-fA-F]{${length}}$`)),
        ),
        fc.stringMatching(/^[0-9a-gA-G]{0,70}$/),
      ),
      fc.constantFrom('', '', '', '\n', ' ', 'g', '\u0130'),
    )
    .map((parts) => parts.join('')),
);
const plain = fc.oneof(text, fc.constantFrom(null, undefined, true, 0, 1), fc.jsonValue());
const request = fc.dictionary(
  fc.constantFrom(
    'from',
    'to',
    'data',
    'input',
    'value',
    'gas',
    'type',
    'extra',
    '__proto__',
    'constructor',
    'toString',
  ),
  fc.oneof({ weight: 3, arbitrary: fc.constant(ADDRESS) }, plain),
);
const value = fc.oneof(
  plain,
  request,
  fc.array(plain, { maxLength: 2 }),
  request.map((fields) => ({ blockHash: fields })),
);

describe('quickCheckOf', () => {
  it.each(SCHEMAS)('never differs from the schema: %s', (_name, schema) => {
    const check = quickCheckOf(schema);
    fc.assert(
      fc.property(value, (given) => {
        const quick = check(given);
        if (quick === ASK_SCHEMA) return;
        const parsed = schema.safeParse(given);
        expect(parsed.success).toBe(true);
        // The order of the fields counts too: equal calls are told by their text.
        expect(JSON.stringify(quick)).toBe(JSON.stringify(parsed.data));
      }),
      { numRuns: 2_000 },
    );
  });

  it.each<readonly [z.ZodType, unknown, unknown]>([
    [address, ADDRESS, ADDRESS.toLowerCase()],
    [blockParameter.default('latest'), undefined, 'latest'],
    [blockParameter.default('latest'), '0xA', '0xa'],
    [blockNumberOrTag, 'pending', 'pending'],
    [callRequest, { data: '0xAB', to: ADDRESS }, { to: ADDRESS.toLowerCase(), data: '0xab' }],
    [
      callRequest,
      { data: '0x', to: ADDRESS, from: ADDRESS },
      { from: ADDRESS.toLowerCase(), to: ADDRESS.toLowerCase(), data: '0x' },
    ],
  ])('takes what is common without the schema', (schema, given, taken) => {
    expect(quickCheckOf(schema)(given)).toEqual(taken);
  });

  it.each<readonly [z.ZodType, unknown]>([
    [address, '0x1'],
    [callRequest, { to: ADDRESS, data: '0x1' }],
    [callRequest, { to: ADDRESS, data: '0x', value: '0x1' }],
    [percentiles.default([]), undefined],
    [percentiles, [1]],
  ])('leaves everything else to the schema', (schema, given) => {
    expect(quickCheckOf(schema)(given)).toBe(ASK_SCHEMA);
  });
});
