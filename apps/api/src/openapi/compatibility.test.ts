import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { findBreakingChanges, GROWING_FIELDS, withoutWords, type ApiDocument } from './compatibility.js';
import { buildDocument } from './document.js';

const NOW = new Date('2027-01-01T00:00:00Z');
const live = withoutWords(buildDocument({}, 'https://bridge.causeway.test')) as ApiDocument;
const released = JSON.parse(readFileSync(new URL('released.json', import.meta.url), 'utf8')) as ApiDocument;

const API = {
  paths: {
    '/quote': {
      post: {
        operationId: 'quote',
        parameters: [{ name: 'token', in: 'query', required: true, schema: { enum: ['ETH', 'XCN'] } }],
        requestBody: {
          content: {
            'application/json': {
              schema: {
                type: 'object',
                properties: { amount: { type: 'string', maxLength: 80 }, note: { type: 'string' } },
                required: ['amount'],
              },
            },
          },
        },
        responses: {
          200: {
            headers: { ETag: {} },
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Quote' } } },
          },
          404: { content: { 'application/json': { schema: { properties: { error: { enum: ['NOT_FOUND'] } } } } } },
        },
        'x-event-names': ['operation'],
      },
    },
  },
  components: {
    schemas: {
      Quote: {
        type: 'object',
        properties: {
          fee: { type: 'string', pattern: '^\\d+$' },
          status: { enum: ['OPEN', 'DONE'] },
          code: { enum: ['A'] },
          until: { anyOf: [{ type: 'string' }, { type: 'null' }] },
          chains: { type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } },
        },
        required: ['fee', 'status'],
      },
    },
  },
};
type Api = typeof API;

/** Returns the problems of a changed API. */
function problemsAfter(change: (api: Api) => unknown, before: (api: Api) => unknown = () => undefined) {
  const [old, present] = [structuredClone(API), structuredClone(API)];
  before(old);
  change(present);
  return findBreakingChanges(old, present, NOW);
}
const quote = (api: Api) => api.paths['/quote'].post;
const body = (api: Api) => quote(api).requestBody.content['application/json'].schema;
const answer = (api: Api) => api.components.schemas.Quote;
const ANSWER = 'POST /quote, answer 200';
const BODY = 'POST /quote, body';

describe('the REST API', () => {
  it('breaks no client of the last release', () => {
    expect(findBreakingChanges(released, live, new Date())).toEqual([]);
  });

  it('has values that can grow only where the page says so', () => {
    const page = readFileSync(new URL('../../../../docs/integrate/compatibility.md', import.meta.url), 'utf8');
    const [, list = ''] = /^Values may be added to these fields of answers: ([^.]*)/m.exec(page) ?? [];
    expect([...list.matchAll(/`(\w+)`/g)].map(([, name]) => name)).toEqual([...GROWING_FIELDS]);
  });

  it('records the endpoints and events of the last release', () => {
    expect(Object.keys(released.paths)).toContain('/bridge/xcn-withdraw-intent');
    expect(released.paths['/bridge/events']?.['get']?.['x-event-names']).toEqual(['operation', 'resync']);
  });

  it('is refused when an endpoint is missing or a type in a response changes', () => {
    const changed = structuredClone(live) as unknown as {
      paths: Record<string, unknown>;
      components: { schemas: { Limits: { properties: Record<string, { properties: Record<string, object> }> } } };
    };
    delete changed.paths['/bridge/status'];
    Object.assign(changed.components.schemas.Limits.properties['ETHEREUM_TO_PARTNER']!.properties, {
      paused: { type: 'string' },
    });
    expect(findBreakingChanges(live, changed as unknown as ApiDocument, NOW)).toEqual([
      'GET /bridge/limits, answer 200.ETHEREUM_TO_PARTNER.paused: the type was "boolean" and is "string"',
      'GET /bridge/status: the endpoint is missing',
    ]);
  });
});

describe('a compatible change', () => {
  it.each<[string, (api: Api) => unknown]>([
    ['no change', () => undefined],
    ['an endpoint', (api) => Object.assign(api.paths, { '/new': { get: { operationId: 'new', responses: {} } } })],
    ['an optional parameter', (api) => quote(api).parameters.push({ ...PARAMETER, required: false })],
    ['a value of a parameter', (api) => quote(api).parameters[0]!.schema.enum.push('USDC')],
    ['an optional field of a body', (api) => Object.assign(body(api).properties, { extra: { type: 'string' } })],
    ['a field becoming optional', (api) => body(api).required.pop()],
    ['a wider bound', (api) => (body(api).properties.amount.maxLength = 90)],
    ['a field of an answer', (api) => Object.assign(answer(api).properties, { extra: { type: 'string' } })],
    ['a value of a field that can grow', (api) => answer(api).properties.code.enum.push('B')],
    ['removing a value of an answer', (api) => answer(api).properties.status.enum.pop()],
    ['removing a form of an answer', (api) => answer(api).properties.until.anyOf.pop()],
    ['an error code', (api) => errorCodes(api).push('GONE')],
    ['removing a failure', (api) => Reflect.deleteProperty(quote(api).responses, '404')],
    ['an event', (api) => quote(api)['x-event-names'].push('later')],
  ])('%s', (_name, change) => {
    expect(problemsAfter(change)).toEqual([]);
  });
});

const PARAMETER = { name: 'sender', in: 'query', required: true, schema: { enum: ['a'] } };
const errorCodes = (api: Api) => quote(api).responses[404].content['application/json'].schema.properties.error.enum;

describe('a breaking change', () => {
  it.each<[string, (api: Api) => unknown]>([
    ['POST /quote: the endpoint is missing', (api) => Reflect.deleteProperty(api.paths, '/quote')],
    ['POST /quote: the operationId was "quote" and is "ask"', (api) => (quote(api).operationId = 'ask')],
    ['POST /quote, query parameter token: it is missing', (api) => quote(api).parameters.pop()],
    ['POST /quote, query parameter sender: it has become required', (api) => quote(api).parameters.push(PARAMETER)],
    [
      'POST /quote, query parameter token: "XCN" is no longer accepted',
      (api) => quote(api).parameters[0]!.schema.enum.pop(),
    ],
    [`${BODY}.note: the field is missing`, (api) => Reflect.deleteProperty(body(api).properties, 'note')],
    [`${BODY}.note: the field has become required`, (api) => body(api).required.push('note')],
    [`${BODY}.amount: maxLength was 80 and is 70`, (api) => (body(api).properties.amount.maxLength = 70)],
    [
      `${BODY}.note: minLength was not given and is 1`,
      (api) => Object.assign(body(api).properties.note, { minLength: 1 }),
    ],
    [
      `${BODY}: the content type application/json is missing`,
      (api) => Reflect.deleteProperty(quote(api).requestBody.content, 'application/json'),
    ],
    [`${ANSWER}: it is missing`, (api) => Reflect.deleteProperty(quote(api).responses, '200')],
    [
      `${ANSWER}, header ETag: it is missing`,
      (api) => Reflect.deleteProperty(quote(api).responses[200].headers, 'ETag'),
    ],
    [`${ANSWER}.code: the field is missing`, (api) => Reflect.deleteProperty(answer(api).properties, 'code')],
    [`${ANSWER}.fee: the field was always present and can now be absent`, (api) => answer(api).required.shift()],
    [`${ANSWER}.fee: the type was "string" and is "integer"`, (api) => (answer(api).properties.fee.type = 'integer')],
    [`${ANSWER}.fee: the pattern was "^\\\\d+$" and is "^0x"`, (api) => (answer(api).properties.fee.pattern = '^0x')],
    [
      `${ANSWER}.status: "LATE" is a new value of a field that cannot grow`,
      (api) => answer(api).properties.status.enum.push('LATE'),
    ],
    [
      `${ANSWER}.until: the type was "string" and is "number"`,
      (api) => answer(api).properties.until.anyOf.push({ type: 'number' }),
    ],
    [
      `${ANSWER}.chains[].id: the type was "integer" and is "string"`,
      (api) => (answer(api).properties.chains.items.properties.id.type = 'string'),
    ],
    ['POST /quote, event operation: it is missing', (api) => quote(api)['x-event-names'].pop()],
  ])('%s', (problem, change) => {
    expect(problemsAfter(change)).toEqual([problem]);
  });
});

describe('a deprecated part', () => {
  const deprecate = (sunset: string) => (api: Api) =>
    Object.assign(answer(api).properties.code, { deprecated: true, 'x-sunset': sunset });
  const remove = (api: Api) => Reflect.deleteProperty(answer(api).properties, 'code');

  it('can be removed only after its sunset', () => {
    expect(problemsAfter(remove, deprecate('2026-12-31'))).toEqual([]);
    expect(problemsAfter(remove, deprecate('2027-01-02'))).toEqual([`${ANSWER}.code: the field is missing`]);
  });
});
