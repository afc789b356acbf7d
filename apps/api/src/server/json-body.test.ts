import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import fastify from 'fastify';
import { findRepeatedKey, installJsonBody } from './json-body.js';

describe('findRepeatedKey', () => {
  it.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":{"b":1,"c":[{"d":0, "d" : 0}]}}', 'd'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    [String.raw`{"\"}":1,"a":"{","\"}":2}`, '"}'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"a":{"a":[{"a":1},{"a":1}]},"b":"a","c":"\\"a\\":"}', null],
    ['[]', null],
    ['"a"', null],
  ])('of %s is %j', (text, key) => {
    expect(findRepeatedKey(text)).toBe(key);
  });

  it('is null for any output of JSON.stringify, and the repeated key otherwise', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1, maxKeys: 3 });
    fc.assert(
      fc.property(object, fc.jsonValue({ maxDepth: 2 }), (value, other) => {
        expect(findRepeatedKey(JSON.stringify([value, other]))).toBeNull();
        const [key = ''] = Object.keys(value);
        const twice = `${JSON.stringify(value).slice(0, -1)},${JSON.stringify(key)}:0}`;
        expect(findRepeatedKey(`{"outer":${twice}}`)).toBe(key);
      }),
      { numRuns: 50 },
    );
  });
});

it('refuses a body that is not UTF-8, since different bytes would decode to the same text', async () => {
  const app = fastify();
  installJsonBody(app);
  app.post('/', async ({ body }) => body);
  const post = async (payload: Buffer) =>
    app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload });
  const text = '{"key":"é"}';
  expect((await post(Buffer.from(text))).body).toBe(text);
  const refusal = (await post(Buffer.from(text, 'latin1'))).json<object>();
  expect(refusal).toMatchObject({ code: 'VALIDATION_ERROR', message: 'The body must be UTF-8' });
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  const compressed = await app.inject({ method: 'POST', url: '/', headers, payload: gzipSync(text) });
  expect(compressed.json<object>()).toMatchObject({ code: 'UNSUPPORTED_MEDIA_TYPE' });
});
