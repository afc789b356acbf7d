import { describe, expect, it } from '@jest/globals';
import { NodeFailure, NodeRpcError } from './node-errors.js';
import { readAnswers } from './read-answers.js';

const answer = (id: unknown, rest: object = { result: '0x1' }) => ({ jsonrpc: '2.0', id, ...rest });
const read = (body: unknown, count: number) => readAnswers(JSON.stringify(body), 7, count);

describe('readAnswers', () => {
  it('returns the answers of a batch in the order of the calls', () => {
    const error = { code: -32000, message: 'no' };
    const answers = read([answer(9, { error, result: null }), answer(7), answer(8, { result: null })], 4);
    expect(answers).toEqual([{ result: '0x1' }, { result: null }, expect.any(NodeRpcError), expect.any(NodeFailure)]);
  });

  it.each([
    ['a text that is not JSON', 'x', 1],
    ['an unknown id', answer(8), 1],
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
  ])('rejects %s', (name, body, count) => {
    const text = name === 'a text that is not JSON' ? '{' : JSON.stringify(body);
    expect(() => readAnswers(text, 7, count)).toThrow(NodeFailure);
  });

  it('throws the error of a batch that was refused as a whole', () => {
    const refusal = { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'batch too large' } };
    expect(() => read(refusal, 2)).toThrow(new NodeRpcError(-32600, 'batch too large', undefined));
  });
});
