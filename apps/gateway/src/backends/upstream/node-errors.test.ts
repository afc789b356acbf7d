import { describe, expect, it } from '@jest/globals';
import { classifyNodeError, cleanMessage, NodeRpcError, toNodeFailure } from './node-errors.js';

const CALL = 'eth_call';
const STATE = 'eth_getBalance';
const SEND = 'eth_sendRawTransaction';
const LOGS = 'eth_getLogs';

describe('classifyNodeError', () => {
  it.each([
    ['geth: revert with data', CALL, 3, 'execution reverted: no', -32000, true],
    ['anvil: custom error', CALL, 3, 'execution reverted: custom error 0xe450d38c', -32000, true],
    [
      'hardhat: revert',
      CALL,
      -32603,
      "VM Exception while processing transaction: reverted with reason string 'no'",
      -32000,
      true,
    ],
    ['parity: revert', CALL, -32015, 'VM execution error. Reverted 0x', -32000, true],
    ['geth: out of gas', CALL, -32000, 'out of gas', -32000, true],
    ['geth: estimate above the cap', 'eth_estimateGas', -32000, 'gas required exceeds allowance (21000)', -32000, true],
    ['anvil: invalid opcode', CALL, -32603, 'EVM error InvalidFEOpcode', -32000, true],
    ['geth: funds in a call', CALL, -32000, 'insufficient funds for gas * price + value: address 0x1', -32003, true],
    ['geth: fee cap in a call', CALL, -32000, 'max fee per gas less than block base fee', -32003, true],
    ['geth: unknown block', STATE, -32000, 'header not found', -32001, false],
    ['geth: pruned', STATE, -32000, 'missing trie node 0123 (path )', -32001, false],
    [
      'anvil: beyond the head',
      STATE,
      -32602,
      'BlockOutOfRangeError: block height is 2 but requested was 1280',
      -32001,
      false,
    ],
    ['anvil: unknown hash', STATE, -32001, 'Resource not found', -32001, false],
    ['besu: unknown block', STATE, -32000, 'Unknown block', -32001, false],
    ['erigon: no history', STATE, -32000, 'historical state not available', -32001, false],
    ['geth: no such method', STATE, -32601, 'the method eth_x does not exist/is not available', -32004, false],
    [
      'provider: disabled',
      'debug_traceTransaction',
      -32600,
      'method debug_traceTransaction is not whitelisted',
      -32004,
      false,
    ],
    ['provider: too many', STATE, 429, 'Too Many Requests', -32002, false],
    ['provider: limit', STATE, -32005, 'daily request count exceeded', -32002, false],
    ['node: syncing', STATE, -32002, 'resource unavailable', -32002, false],
    ['provider: many logs', LOGS, -32005, 'query returned more than 10000 results', -32005, true],
    ['provider: wide range', LOGS, -32600, 'block range is too large, limited to 2000', -32005, true],
    ['node: future range', LOGS, -32602, 'block range extends beyond current head block', -32602, false],
    ['node: reversed range', LOGS, -32602, 'invalid block range: 7 is after 3', -32602, false],
    ['node: broken', STATE, -32603, 'internal error', -32603, false],
    ['node: invalid params', STATE, -32602, 'invalid argument 0: hex string has length 3', -32602, true],
    ['geth: nonce', SEND, -32000, 'nonce too low: next nonce 5, tx nonce 0', -32003, true],
    ['geth: funds', SEND, -32000, 'insufficient funds for gas * price + value', -32003, true],
    ['geth: price', SEND, -32000, 'replacement transaction underpriced', -32003, true],
    ['geth: gas', SEND, -32000, 'intrinsic gas too low: gas 20000, minimum needed 21000', -32003, true],
    ['besu: gas', SEND, -32003, 'Intrinsic gas exceeds gas limit', -32003, true],
    ['anvil: no transaction', SEND, -32602, 'Failed to decode transaction', -32003, true],
    ['geth: no transaction', SEND, -32000, 'rlp: element is larger than containing list', -32003, true],
    ['provider: too many', SEND, -32000, 'rate limit reached', -32002, false],
    ['node: broken', SEND, -32603, 'internal error', -32002, false],
  ])('%s (%s)', (_, method, code, message, expected, final) => {
    const classified = classifyNodeError(method, new NodeRpcError(code, message, undefined));
    expect([classified.error.code, classified.final]).toEqual([expected, final]);
  });

  it('passes on revert bytes from every place where nodes put them', () => {
    const data = '0x08c379a0';
    for (const found of [data, { data }, `Reverted ${data}`, { message: 'reverted', data }]) {
      const { error } = classifyNodeError(CALL, new NodeRpcError(3, 'execution reverted', found));
      expect(error.toBody()).toEqual({ code: -32000, message: 'execution reverted', data });
    }
    expect(classifyNodeError(CALL, new NodeRpcError(3, 'execution reverted', 'no hex')).error.data).toBeUndefined();
  });
});

describe('cleanMessage', () => {
  it.each([
    ['nonce too low: next nonce 5', 'nonce too low: next nonce 5'],
    [
      'insufficient funds for gas * price + value: address 0xAbC',
      'insufficient funds for gas * price + value: address 0xAbC',
    ],
    ['failed: https://user:key@node.example/v3/secret?key=1', 'failed: …'],
    ['dial tcp 10.0.0.7:8545: refused', 'dial tcp …: refused'],
    ['dial tcp [fe80::1]:8545 refused', 'dial tcp … refused'],
    ['lookup node-7.internal:8545 failed', 'lookup … failed'],
    ['open /var/lib/geth/chaindata: no', 'open … no'],
    ['two\nlines\u0000and\ttabs', 'two lines and tabs'],
  ])('turns %j into %j', (message, clean) => {
    expect(cleanMessage(message)).toBe(clean);
  });

  it('limits the length', () => {
    expect(cleanMessage('word '.repeat(100_000)).length).toBeLessThanOrEqual(200);
  });
});

const coded = (code: string) => Object.assign(new Error(code), { code });

describe('toNodeFailure', () => {
  it.each([
    ['unreachable', coded('ECONNREFUSED')],
    ['unreachable', new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')])],
    ['unreachable', coded('UND_ERR_CONNECT_TIMEOUT')],
    ['broken', coded('ECONNRESET')],
    ['broken', coded('UND_ERR_SOCKET')],
    ['broken', 'a text instead of an error'],
    ['timeout', coded('UND_ERR_BODY_TIMEOUT')],
    ['oversized', coded('UND_ERR_RES_EXCEEDED_MAX_SIZE')],
  ])('returns %s for %s: only an unsent request can be resent without a lookup', (kind, error) => {
    expect(toNodeFailure(error)).toMatchObject({ kind });
  });
});
