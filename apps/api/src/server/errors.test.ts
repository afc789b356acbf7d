import { describe, expect, it } from '@jest/globals';
import { NodeUnavailableError } from '@causeway/chain';
import { Cors } from '@causeway/service/http';
import { BridgeError } from '@causeway/protocol';
import { HttpException } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PinoLogger } from 'nestjs-pino';
import { AnswerHeaders } from './answer-headers.js';
import { ErrorFilter } from './errors.js';

/** The filter's response to an exception, and its log lines. */
function answerTo(exception: unknown) {
  const answer = { status: 0, headers: {} as Record<string, unknown>, body: {} };
  const lines: [level: string, line: Record<string, unknown>, message: string][] = [];
  const log = (level: string) => (line: Record<string, unknown>, message: string) => lines.push([level, line, message]);
  const logger = { error: log('error'), warn: log('warn'), debug: log('debug') } as unknown as PinoLogger;
  const reply = {
    status: (status: number) => Object.assign(reply, { code: (answer.status = status) }),
    header: (name: string, value: unknown) => Object.assign(reply, { last: (answer.headers[name] = value) }),
    getHeader: (name: string) => answer.headers[name],
    headers: (values: object) => Object.assign(reply, { last: Object.assign(answer.headers, values) }),
    send: (body: object) => (answer.body = body),
  };
  const request = { id: 'id 1', method: 'GET', headers: {}, raw: { url: '/path?secret=1', complete: true } };
  const filter = new ErrorFilter(logger, new AnswerHeaders(new Cors(['*'])), { docsUrl: 'https://docs.example' });
  filter.answer(exception, request as unknown as FastifyRequest, reply as unknown as FastifyReply);
  return { ...answer, lines };
}

const failure = (fields: object, message = 'x', options?: ErrorOptions) =>
  Object.assign(new Error(message, options), fields);
const refused = failure({ code: 'ECONNREFUSED' });

describe('ErrorFilter', () => {
  it.each<[string, unknown, number, string, string]>([
    ['a refusal', new BridgeError('INTENT_EXPIRED', 'too late'), 410, 'INTENT_EXPIRED', 'warn'],
    ['a body that ended early', failure({ code: 'ECONNRESET', statusCode: 400 }), 400, 'VALIDATION_ERROR', 'warn'],
    ['a status of Nest', new HttpException('x', 404), 404, 'NOT_FOUND', 'warn'],
    ['nodes', new NodeUnavailableError('down', { cause: refused }), 503, 'SERVICE_UNAVAILABLE', 'warn'],
    ['the database', failure({ code: 'P2010' }, 'x', { cause: refused }), 503, 'SERVICE_UNAVAILABLE', 'warn'],
    ['a rate', new BridgeError('RATE_LIMIT_EXCEEDED', 'slow down'), 429, 'RATE_LIMIT_EXCEEDED', 'debug'],
    ['a bug', new TypeError('x is not a function'), 500, 'INTERNAL_ERROR', 'error'],
    ['a thrown text', 'oops', 500, 'INTERNAL_ERROR', 'error'],
  ])('responds to and logs %s', (_, exception, status, code, level) => {
    const { lines, ...answer } = answerTo(exception);
    expect(answer).toMatchObject({ status, body: { error: code, message: expect.any(String) } });
    expect(Object.keys(answer.body)).toEqual(['error', 'message']);
    const link = `<https://docs.example/errors/${code.toLowerCase()}/>; rel="help"`;
    expect(answer.headers).toMatchObject({ 'x-request-id': 'id 1', 'cache-control': 'no-store', link });
    expect(lines).toEqual([
      [level, expect.objectContaining({ requestId: 'id 1', path: '/path', status, code }), expect.any(String)],
    ]);
  });

  it('names the nodes, not the database, when a node refuses the connection', () => {
    const { body } = answerTo(new NodeUnavailableError('down', { cause: refused }));
    expect(body).toMatchObject({ message: expect.stringMatching(/^The nodes /) });
  });

  it("says when to retry, with the rate limit's own time", () => {
    expect(answerTo(refused).headers['retry-after']).toBe(5);
    const rate = new BridgeError('RATE_LIMIT_EXCEEDED', 'slow down', { retryAfterSeconds: 7 });
    expect(answerTo(rate).headers['retry-after']).toBe(7);
    expect(answerTo(new TypeError('x')).headers['retry-after']).toBeUndefined();
  });

  it('truncates log lines, and keeps faults out of the response', () => {
    const { body, lines } = answerTo(failure({ stack: 's'.repeat(100_000) }, 'a secret'));
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(JSON.stringify(lines).length).toBeLessThan(4_500);
    const long = answerTo(new BridgeError('SERVICE_UNAVAILABLE', 'x', { cause: new Error('c'.repeat(9_000)) }));
    expect(JSON.stringify(long.lines).length).toBeLessThan(1_000);
  });
});
