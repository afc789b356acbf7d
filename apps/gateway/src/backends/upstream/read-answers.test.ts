import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NodeFailure } from './node-failure.js';
import { NodeRefusal } from './node-refusal.js';
import { readAnswers } from './read-answers.js';
import { readPlainAnswers } from './read-plain-answers.js';

const answer = (id: unknown, rest: object = { result: '0x1' }) => ({ jsonrpc: '2.0', id, ...rest });
const read = (body: unknown, count: number) => readAnswers(JSON.stringify(body), 7, count);

describe('readAnswers', () => {
  it('puts the answers of a batch into the order of the calls', () => {
    const error = { code: -32000, message: 'no' };
    const answers = read([answer(9, { error, result: null }), answer(7), answer(8, { result: null })], 4);
    expect(answers).toEqual([{ result: '0x1' }, { result: null }, expect.any(NodeRefusal), undefined]);
  });

  it.each([
    ['no JSON', 'x', 1],
    ['an id that was not asked', answer(8), 1],
    ['an id below', [answer(6), answer(7)], 2],
    ['an id twice', [answer(7), answer(7)], 2],
    ['an id that is a text', answer('7'), 1],
    ['a fraction of an id', [answer(7.5), answer(8)], 2],
    ['__proto__ as id', [answer('__proto__')], 2],
    ['no version', { id: 7, result: 1 }, 1],
    ['neither result nor error', { jsonrpc: '2.0', id: 7 }, 1],
    ['both result and error', answer(7, { result: 1, error: { code: 1, message: '' } }), 1],
    ['an error without a code', answer(7, { error: { message: 'no' } }), 1],
    ['an array for one call', [answer(7)], 1],
    ['an object for a batch', answer(7), 2],
    ['null', null, 1],
  ])('does not believe %s', (name, body, count) => {
    const text = name === 'no JSON' ? '{' : JSON.stringify(body);
    expect(() => readAnswers(text, 7, count)).toThrow(NodeFailure);
  });

  it('tells when a batch is refused as a whole', () => {
    const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } };
    expect(() => read(refusal, 2)).toThrow(new NodeRefusal(-32600, 'batch too large', undefined));
  });
});

describe('readPlainAnswers', () => {
  const one = (id: number, result = '"0x1f"') => `{"jsonrpc":"2.0","id":${id},"result":${result}}`;

  it('reads answers in hex', () => {
    expect(readPlainAnswers(`[${one(7)},${one(8, '"0x"')}]`, 7, 2)).toEqual([{ result: '0x1f' }, { result: '0x' }]);
  });

  it.each([
    ['another order', `[${one(8)},${one(7)}]`],
    ['one too few', `[${one(7)}]`],
    ['one too many', `[${one(7)},${one(8)},${one(9)}]`],
    ['no comma', `[${one(7)}${one(8)}]`],
    ['no end', `[${one(7)},${one(8)}`],
    ['something at the end', `[${one(7)},${one(8)}],`],
    ['a text that is no hex', `[${one(7)},${one(8, '"0x\\u0031"')}]`],
    ['another result', `[${one(7)},${one(8, 'null')}]`],
    ['nothing', ''],
  ])('leaves everything else to be read in full: %s', (_what, text) => {
    expect(readPlainAnswers(text, 7, 2)).toBeNull();
  });

  it('never differs from reading in full', () => {
    let plain = 0;
    const result = fc.constantFrom('"0x"', '"0x1"', '"0xAb"', '"0xAb"', '"0x1"', '"0x"', '"0xg"', 'null');
    const text = fc
      .tuple(
        fc.array(result, { minLength: 1, maxLength: 4 }),
        fc.nat(),
        fc.nat(8),
        fc.constantFrom('', '', ',', ']', '"', '7', ' '),
      )
      .map(([results, at, cut, put]) => {
        const whole = `[${results.map((value, index) => one(7 + index, value)).join(',')}]`;
        const place = at % (whole.length + 1);
        return put === '' ? whole : whole.slice(0, place) + put + whole.slice(place + (cut > 1 ? 0 : cut));
      });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 4 }), (given, count) => {
        const plainly = readPlainAnswers(given, 7, count);
        if (plainly === null) return;
        plain += 1;
        // A space in front keeps it from being read plainly.
        expect(readAnswers(` ${given}`, 7, count)).toEqual(plainly);
      }),
      { numRuns: 5_000 },
    );
    expect(plain).toBeGreaterThan(100);
  });
});
