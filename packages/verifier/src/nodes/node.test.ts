import { expect, it } from '@jest/globals';
import { RpcRequestError } from 'viem';
import { classifyFailure } from './node.js';

const rpcError = (code: number, message: string) =>
  new RpcRequestError({ body: {}, url: '', error: { code, message } });

it.each([
  [rpcError(3, 'execution reverted'), 'REVERTED'],
  [rpcError(-32000, 'execution reverted'), 'REVERTED'],
  [rpcError(-32015, 'VM execution error: reverted'), 'REVERTED'],
  [rpcError(-32000, 'out of gas'), 'REVERTED'],
  [rpcError(-32000, 'invalid opcode: INVALID'), 'REVERTED'],
  [rpcError(-32000, 'missing trie node 1234 (path )'), 'STATE_GONE'],
  [rpcError(-32000, 'historical state 1234 is not available'), 'STATE_GONE'],
  [rpcError(4444, 'pruned history unavailable'), 'STATE_GONE'],
  [rpcError(-32000, 'state already discarded for block'), 'STATE_GONE'],
  [rpcError(-32000, 'World state unavailable'), 'STATE_GONE'],
  [rpcError(-32005, 'limit exceeded'), 'AWAY'],
  [rpcError(-32000, 'execution aborted (timeout = 5s)'), 'AWAY'],
  [rpcError(-32603, 'internal error'), 'AWAY'],
  [new Error('fetch failed', { cause: new Error('ECONNREFUSED') }), 'AWAY'],
  [new Error('outer', { cause: rpcError(3, 'execution reverted') }), 'REVERTED'],
  ['text', 'AWAY'],
  [undefined, 'AWAY'],
])('classifies %s as %s', (error, expected) => {
  expect(classifyFailure(error)).toBe(expected);
});
