import { describe, expect, it } from '@jest/globals';
import { BaseError, HttpRequestError, RpcRequestError, TimeoutError } from 'viem';
import { classifyRpcError, InconsistentBlockError, NodeThrottledError } from './chain-error.js';

const url = 'https://node.example/v2/secret-key';
const answered = (code: number, message: string, data?: unknown) =>
  new BaseError('Something was asked.', {
    cause: new RpcRequestError({ body: {}, url, error: { code, message, data } }),
  });

describe('classifyRpcError', () => {
  it.each<[string, Error, string, boolean]>([
    ['no node answers', new HttpRequestError({ url, status: 502 }), 'NODE_UNAVAILABLE', true],
    ['the request times out', new TimeoutError({ body: {}, url }), 'NODE_UNAVAILABLE', true],
    ['the node limits requests', answered(-32005, 'rate limit exceeded'), 'NODE_UNAVAILABLE', true],
    [
      'the plan of the provider limits requests',
      answered(-32000, 'Monthly capacity limit exceeded'),
      'NODE_UNAVAILABLE',
      true,
    ],
    ['the node has an internal error', answered(-32603, 'Internal error'), 'NODE_UNAVAILABLE', true],
    ['an internal error judges the request', answered(-32603, 'nonce too low'), 'NODE_REFUSED', false],
    [
      'an internal error carries revert data',
      answered(-32603, 'Internal JSON-RPC error.', '0xe450d38c'),
      'NODE_REFUSED',
      false,
    ],
    ['besu rejects the signature', answered(-32002, 'Invalid signature'), 'NODE_REFUSED', false],
    [
      'besu rejects the gas limit',
      answered(-32005, 'Transaction gas limit exceeds block gas limit'),
      'NODE_REFUSED',
      false,
    ],
    ['the call reverts', answered(3, 'execution reverted', '0x'), 'NODE_REFUSED', false],
  ])('%s', (_, error, code, retryable) => {
    const failure = classifyRpcError(error);
    expect(failure).toMatchObject({ code, retryable, cause: error });
    expect(failure.message).not.toContain('secret-key');
  });

  it.each<[string, Error, boolean]>([
    ['HTTP 429', new HttpRequestError({ url, status: 429 }), true],
    [
      'a rate',
      answered(-32005, 'Rate limit exceeded: 100 calls in 1 s and 3000 calls in 60 s; try again in 1 s'),
      true,
    ],
    ['a plan', answered(-32000, 'Your app has exceeded its compute units per second capacity'), true],
    ['logs', answered(-32005, 'Rate limit exceeded: query returned more than 10000 results'), false],
    ['filters', answered(-32005, 'Rate limit exceeded: too many filters of this client'), false],
    ['an internal error', answered(-32603, 'Internal error'), false],
    ['HTTP 502', new HttpRequestError({ url, status: 502 }), false],
  ])('distinguishes a limit of requests from others: %s', (_, error, isThrottled) => {
    expect(classifyRpcError(error) instanceof NodeThrottledError).toBe(isThrottled);
  });

  it.each([401, 403])('names the key in the address as the reason of a status %i', (status) => {
    const { message } = classifyRpcError(new HttpRequestError({ url, status }));
    expect(message).toContain(`it does not accept the key in its address (HTTP status ${status})`);
  });

  it('returns an error that is already classified', () => {
    const error = new InconsistentBlockError(1n, 'this and that');
    expect(classifyRpcError(error)).toBe(error);
  });

  it('rethrows an error that does not come from a node', () => {
    const bug = new TypeError('undefined is not a function');
    expect(() => classifyRpcError(bug)).toThrow(bug);
  });
});
