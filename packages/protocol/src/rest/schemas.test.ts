import { describe, expect, it } from '@jest/globals';
import type { z } from 'zod';
import { feeQuoteQuerySchema } from './quotes.js';
import { historyQuerySchema, statusQuerySchema } from './operations.js';
import { bindOriginBodySchema, intentBodySchema } from './intents.js';
import { parseRequest } from './service.js';

const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc';

function refuses(schema: z.ZodType, input: unknown, field: string) {
  expect(() => parseRequest(schema, input)).toThrow(expect.objectContaining({ code: 'VALIDATION_ERROR', field }));
  expect(() => parseRequest(schema, input)).toThrow(new RegExp(`^${field} `));
}

describe('GET /bridge/status', () => {
  it('takes any identifier, in any case, and answers in lower case', () => {
    expect(parseRequest(statusQuerySchema, { originTxHash: `0x${'AB'.repeat(32)}` })).toEqual({ originTxHash: HASH });
    expect(parseRequest(statusQuerySchema, { intentId: HASH, index: '2' })).toEqual({ intentId: HASH, index: 2 });
  });

  it.each<[string, unknown, string]>([
    ['no identifier', {}, 'originTxHash'],
    ['an empty one', { depositId: '' }, 'depositId'],
    ['a short one', { withdrawId: '0xab' }, 'withdrawId'],
    ['one without 0x', { depositId: 'ab'.repeat(33) }, 'depositId'],
    ['a repeated parameter', { depositId: [HASH, HASH] }, 'depositId'],
    ['an unknown parameter', { depositId: HASH, verbose: '1' }, 'verbose'],
    ['a negative index', { depositId: HASH, index: '-1' }, 'index'],
  ])('refuses %s', (_, query, field) => refuses(statusQuerySchema, query, field));
});

describe('GET /bridge/history', () => {
  it('has the defaults of the specification', () => {
    expect(parseRequest(historyQuerySchema, { address: ADDRESS })).toEqual({ address: ADDRESS, limit: 10, offset: 0 });
  });

  it.each([ADDRESS, `0x${ADDRESS.slice(2).toUpperCase()}`, '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc'])(
    'takes %s',
    (address) => {
      expect(parseRequest(historyQuerySchema, { address }).address).toBe(ADDRESS);
    },
  );

  it('takes lists separated by commas, each item once', () => {
    const query = { address: ADDRESS, status: 'FAILED,COMPLETED,FAILED', role: 'sender', cursor: HASH };
    expect(parseRequest(historyQuerySchema, query)).toMatchObject({ status: ['FAILED', 'COMPLETED'], cursor: HASH });
    expect(parseRequest(historyQuerySchema, { ids: `${HASH.toUpperCase().replace('0X', '0x')},${HASH}` })).toEqual({
      ids: [HASH],
      limit: 10,
      offset: 0,
    });
  });

  it('takes a page of 100', () => {
    expect(parseRequest(historyQuerySchema, { address: ADDRESS, limit: '100', offset: '7' })).toMatchObject({
      limit: 100,
      offset: 7,
    });
  });

  it.each<[string, object, string]>([
    ['no address', { address: undefined }, 'address'],
    ['a checksum that is a typing error', { address: '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dC' }, 'address'],
    ['a mixed-case address that is too short', { address: '0xAbc' }, 'address'],
    ['a name', { address: 'Alice.eth' }, 'address'],
    ['limit 0', { limit: '0' }, 'limit'],
    ['limit 101', { limit: '101' }, 'limit'],
    ['limit 10.5', { limit: '10.5' }, 'limit'],
    ['limit abc', { limit: 'abc' }, 'limit'],
    ['limit 1e1', { limit: '1e1' }, 'limit'],
    ['an empty limit', { limit: '' }, 'limit'],
    ['offset -1', { offset: '-1' }, 'offset'],
    ['an unknown direction', { direction: 'UP' }, 'direction'],
  ])('refuses %s', (_, query, field) => refuses(historyQuerySchema, { address: ADDRESS, ...query }, field));
});

describe('GET /bridge/fee-quote', () => {
  it.each<[string, object, string]>([
    ['an unknown token', { token: 'BTC' }, 'token'],
    ['no amount', { amount: undefined }, 'amount'],
    ['no direction', { direction: undefined }, 'direction'],
  ])('refuses %s', (_, query, field) =>
    refuses(feeQuoteQuerySchema, { token: 'ETH', amount: '1', direction: 'ETHEREUM_TO_PARTNER', ...query }, field),
  );
});

describe('POST /bridge/xcn-withdraw-intent', () => {
  const body = {
    senderAddress: ADDRESS,
    recipientAddress: ADDRESS,
    amountAtomic: '5000000000000000000000',
    idempotencyKey: 'k',
    deadline: 2_000_000_000,
    nonce: 'n',
    signature: '0x00',
  };

  it('takes a good body', () => {
    expect(parseRequest(intentBodySchema, body).amountAtomic).toBe(5_000n * 10n ** 18n);
  });

  it.each<[string, unknown, string]>([
    ['dust', { ...body, amountAtomic: '5000000000000000000001' }, 'amountAtomic'],
    ['a number for an amount', { ...body, amountAtomic: 5 }, 'amountAtomic'],
    ['zero', { ...body, amountAtomic: '0' }, 'amountAtomic'],
    ['a decimal', { ...body, amountAtomic: '1.5' }, 'amountAtomic'],
    ['more than a uint256', { ...body, amountAtomic: '9'.repeat(78) }, 'amountAtomic'],
    ['a key of 129 characters', { ...body, idempotencyKey: 'k'.repeat(129) }, 'idempotencyKey'],
    ['an empty key', { ...body, idempotencyKey: '' }, 'idempotencyKey'],
    [
      'a key of 129 characters of two UTF-16 units',
      { ...body, idempotencyKey: '\u{1F511}'.repeat(129) },
      'idempotencyKey',
    ],
    ['NUL in the nonce', { ...body, nonce: 'a\0b' }, 'nonce'],
    ['NUL in the key', { ...body, idempotencyKey: '\0' }, 'idempotencyKey'],
    ['half a surrogate pair', { ...body, nonce: 'a\ud83d' }, 'nonce'],
    ['an empty nonce', { ...body, nonce: '' }, 'nonce'],
    ['a deadline that is a string', { ...body, deadline: '2000000000' }, 'deadline'],
    ['a fractional deadline', { ...body, deadline: 1.5 }, 'deadline'],
    ['a deadline in milliseconds', { ...body, deadline: Date.now() }, 'deadline'],
    ['a missing signature', { ...body, signature: undefined }, 'signature'],
    ['an unknown field', { ...body, memo: 'hi' }, 'memo'],
    ['no object', 'hello', 'body'],
    ['null', null, 'body'],
  ])('refuses %s', (_, input, field) => refuses(intentBodySchema, input, field));

  it('takes a key of 128 characters', () => {
    expect(parseRequest(intentBodySchema, { ...body, idempotencyKey: 'k'.repeat(128) }).idempotencyKey).toHaveLength(
      128,
    );
  });
});

describe('POST …/bind-origin', () => {
  it('names the field that is missing', () => {
    refuses(bindOriginBodySchema, { intentId: HASH, senderAddress: ADDRESS }, 'originTxHash');
  });
});
