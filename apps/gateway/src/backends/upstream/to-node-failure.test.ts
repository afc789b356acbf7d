import { describe, expect, it } from '@jest/globals';
import { Pool } from 'undici';
import { Exchange } from './exchange.js';
import { toNodeFailure } from './to-node-failure.js';

const coded = (code: string) => Object.assign(new Error(code), { code });

describe('toNodeFailure', () => {
  it.each([
    ['unreachable', coded('ECONNREFUSED')],
    ['unreachable', new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])],
    ['unreachable', coded('UND_ERR_CONNECT_TIMEOUT')],
    ['broken', coded('ECONNRESET')],
    ['broken', coded('UND_ERR_SOCKET')],
    ['broken', 'what is no error'],
    ['timeout', coded('UND_ERR_BODY_TIMEOUT')],
    ['oversized', coded('UND_ERR_RES_EXCEEDED_MAX_SIZE')],
  ])('says %s of %s: only what never left may be sent again without a look', (kind, error) => {
    expect(toNodeFailure(error)).toMatchObject({ kind });
  });

  it('tells a refused connection of a real client', async () => {
    // Nobody listens on port 1 of this machine.
    const pool = new Pool('http://127.0.0.1:1');
    const exchange = new Exchange();
    pool.dispatch({ path: '/', method: 'POST', body: '{}' }, exchange);
    await expect(exchange.answer).rejects.toMatchObject({ kind: 'unreachable' });
    await pool.destroy();
  });
});
