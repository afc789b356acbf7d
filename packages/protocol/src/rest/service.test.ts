import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BridgeError } from '../errors.js';
import { historyQuerySchema, statusQuerySchema } from './operations.js';
import { bindOriginBodySchema, intentBodySchema } from './intents.js';
import { parseRequest } from './service.js';
import { feeQuoteQuerySchema } from './quotes.js';
import { transactionsBodySchema } from './transactions.js';

const SCHEMAS = {
  status: statusQuerySchema,
  history: historyQuerySchema,
  quote: feeQuoteQuerySchema,
  intent: intentBodySchema,
  bind: bindOriginBodySchema,
  transactions: transactionsBodySchema,
};
const HASH = `0x${'ab'.repeat(32)}`;
const ADDRESS = '0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc';

function failure(run: () => unknown): BridgeError {
  try {
    run();
  } catch (error) {
    if (error instanceof BridgeError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('parseRequest', () => {
  describe.each(Object.entries(SCHEMAS))('%s', (_, schema) => {
    it.each([[undefined], [null], ['text'], [7], [[]]])('refuses %j with a message of its own', (input) => {
      const error = failure(() => parseRequest(schema, input));
      expect(error).toMatchObject({ code: 'VALIDATION_ERROR', field: 'body' });
      expect(error.message).toBe('body must be an object with the fields of this endpoint');
    });

    it('answers anything with a value or a VALIDATION_ERROR that begins with its field, never with a message of the library', () => {
      const keys = fc.constantFrom(...Object.keys(schema.shape), 'extra', '__proto__');
      const values = fc.oneof(fc.jsonValue(), fc.string(), fc.constantFrom(HASH, ADDRESS, 'ETH', '10', 10, '-1', ''));
      fc.assert(
        fc.property(fc.dictionary(keys, values), (input) => {
          try {
            parseRequest(schema, input);
          } catch (error) {
            expect(error).toBeInstanceOf(BridgeError);
            if (!(error instanceof BridgeError)) return;
            expect(error.code).toBe('VALIDATION_ERROR');
            expect(error.message.startsWith(`${error.field} `)).toBe(true);
            expect(error.message).not.toMatch(/Invalid input|expected|received/);
          }
        }),
      );
    });
  });

  it.each(['originTxHash', 'depositId', 'withdrawId', 'intentId'])(
    '%s: 64 hex digits after 0x, nothing less or more',
    (name) => {
      expect(parseRequest(statusQuerySchema, { [name]: `0x${'aB'.repeat(32)}` })).toEqual({ [name]: HASH });
      for (const wrong of [
        '',
        '0x',
        HASH.slice(2),
        `${HASH}0`,
        HASH.slice(0, -1),
        ` ${HASH}`,
        `${HASH}\n`,
        `0x${'zz'.repeat(32)}`,
        [HASH],
      ]) {
        expect(failure(() => parseRequest(statusQuerySchema, { [name]: wrong })).field).toBe(name);
      }
    },
  );

  it('an index alone does not name an operation', () => {
    expect(failure(() => parseRequest(statusQuerySchema, { index: '0' })).message).toMatch(/must be given/);
  });

  it.each(['limit', 'offset'])('%s: plain digits, once', (name) => {
    for (const wrong of [
      '',
      ' 1',
      '1 ',
      '+1',
      '-0',
      '01',
      '1.0',
      '1e1',
      '0x1',
      '١',
      '99999999999999999999',
      1,
      ['1', '2'],
      {},
    ]) {
      expect(failure(() => parseRequest(historyQuerySchema, { address: ADDRESS, [name]: wrong })).field).toBe(name);
    }
  });

  it.each(['token', 'amount', 'direction'])('refuses %s given twice', (name) => {
    const query = { token: 'ETH', amount: '1', direction: 'ETHEREUM_TO_PARTNER', [name]: ['ETH', '1'] };
    expect(failure(() => parseRequest(feeQuoteQuerySchema, query)).field).toBe(name);
  });
});
