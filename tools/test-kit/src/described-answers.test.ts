import { describe, expect, it } from '@jest/globals';
import { AnswerChecker, type ReceivedAnswer } from './described-answers.js';

const json = (schema: object) => ({ 'application/json': { schema } });
const failure = { headers: { ETag: {} }, content: json({ $ref: '#/components/schemas/Error' }) };
const checker = new AnswerChecker({
  paths: {
    '/things/{id}': {
      get: {
        responses: {
          200: {
            headers: { ETag: { required: true }, Age: { $ref: '#/components/headers/Age' } },
            content: json({ type: 'object', properties: { id: { $ref: '#/components/schemas/Id' } } }),
          },
          202: {
            content: { 'text/event-stream': { schema: { $ref: '#/components/schemas/Id' } } },
          },
          304: { headers: { ETag: {} } },
          400: failure,
        },
      },
    },
  },
  components: {
    headers: { Age: {} },
    schemas: {
      Id: { type: 'object', properties: { value: { type: 'string' } } },
      Error: { type: 'object', properties: { error: { type: 'string' } }, required: ['error'] },
    },
  },
});

const headers = { 'content-type': 'application/json; charset=utf-8', etag: '"1"' };
const stream = { status: 202, headers: { 'content-type': 'text/event-stream' } };
const answer = { method: 'GET', url: '/api/v1/things/7?a=1', status: 200, headers, body: '{"id":{"value":"7"}}' };
const check = (over: Partial<ReceivedAnswer>) => () => checker.check({ ...answer, ...over });

describe('AnswerChecker', () => {
  it.each<[string, Partial<ReceivedAnswer>]>([
    ['the answer', {}],
    ['a percent-encoded path', { url: 'http://x/api/v1/%74hings/7' }],
    ['a header described by reference', { headers: { ...headers, age: '1' } }],
    ['events', { ...stream, body: 'event: a\ndata: {"value":"7"}\n\n' }],
    ['a HEAD', { method: 'HEAD', body: '' }],
    ['an answer without content', { status: 304, body: '' }],
    ['a failure', { status: 400, body: '{"error":"A"}' }],
    ['a path outside /api/v1', { url: '/things/7', status: 404, body: '{"error":"NOT_FOUND"}' }],
    ['an unknown path', { url: '/other', status: 404, body: '{"error":"NOT_FOUND"}' }],
  ])('accepts %s', (_, over) => {
    expect(check(over)).not.toThrow();
  });

  it.each<[string, Partial<ReceivedAnswer>, RegExp]>([
    ['another status', { status: 201 }, /201 of GET .*things\/7\?a=1: undescribed status/],
    ['a missing header', { headers: { ...headers, etag: undefined } }, /the header ETag is missing/],
    ['an undescribed header', { headers: { ...headers, a: '1' } }, /the header a is not described/],
    ['an event that breaks its schema', { ...stream, body: 'data: {"value":7}\n\n' }, /must be string/],
    ['another content type', { headers: { ...headers, 'content-type': 'text/html' } }, /content type text\/html/],
    ['an undescribed field', { body: '{"id":{"value":"7","more":1}}' }, /additional properties/],
    ['a value of another type', { body: '{"id":{"value":7}}' }, /must be string/],
    ['no JSON', { body: 'oops' }, /not JSON/],
    ['an unexpected body', { status: 304 }, /unexpected body/],
    ['a success of an unknown path', { url: '/other' }, /undescribed status/],
    ['another code of an unknown path', { url: '/other', status: 404, body: '{"error":"A"}' }, /wrong error code/],
    ['a 405 without Allow', { method: 'PUT', status: 405, body: '{"error":"METHOD_NOT_ALLOWED"}' }, /Allow/],
  ])('refuses %s', (_, over, problem) => {
    expect(check(over)).toThrow(problem);
  });
});
