import { describe, expect, it } from '@jest/globals';
import { isDatabaseUnavailable } from './unavailable.js';

const failure = (fields: object, message = 'x') => Object.assign(new Error(message), fields);

describe('isDatabaseUnavailable', () => {
  it.each<[string, unknown]>([
    ['a refused connection', failure({ code: 'ECONNREFUSED' })],
    ['all addresses of a host refused', new AggregateError([failure({ code: 'ECONNREFUSED' })])],
    ['a server that shuts down', failure({ code: '57P01' })],
    ['a server that starts', failure({ code: '57P03' })],
    ['too many connections', failure({ code: '53300' })],
    ['a statement that took too long', failure({ code: '57014' })],
    ['a deadlock', failure({ code: '40P01' })],
    ['a database that became a PostgreSQL standby', failure({ code: '25006' })],
    ['a connection that broke', failure({}, 'Connection terminated unexpectedly')],
    ['a pool without a free connection', failure({}, 'timeout exceeded when trying to connect')],
    ['a silent connection', failure({}, 'Query read timeout')],
    ['a transaction that Prisma could not begin', failure({ code: 'P2028' })],
    [
      'the driver behind Prisma',
      failure({ code: 'P2010', meta: { driverAdapterError: { cause: { kind: 'SocketTimeout' } } } }),
    ],
    ['a cause', new Error('no row', { cause: failure({ code: '08006' }) })],
  ])('is true for %s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(true);
  });

  it.each<[string, unknown]>([
    ['a unique violation', failure({ code: '23505' })],
    ['a check that failed', failure({ code: '23514' })],
    ['a syntax error', failure({ code: '42601' })],
    ['a row that Prisma does not find', failure({ code: 'P2025' })],
    ['a bug', new TypeError('x is not a function')],
    ['a text', 'ECONNREFUSED'],
    ['nothing', undefined],
  ])('is false for %s', (_, error) => {
    expect(isDatabaseUnavailable(error)).toBe(false);
  });
});
