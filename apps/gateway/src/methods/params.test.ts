import { describe, expect, it } from '@jest/globals';
import { Caller } from '../../test/setup/caller.js';
import { ScriptedBackend } from '../../test/setup/scripted-backend.js';
import { checkParams } from '../jsonrpc/method.js';
import { createMethods } from './registry.js';

const ADDRESS = '0x000000000000000000000000000000000000dEaD';
const LOWER = ADDRESS.toLowerCase();
const HASH = `0x${'Ab'.repeat(32)}`;
const LOWER_HASH = HASH.toLowerCase();

/** Returns the params of every call. */
class Echo extends ScriptedBackend {
  override request(_method: string, params: readonly unknown[]): Promise<unknown> {
    return Promise.resolve(params);
  }
}

const { methods } = createMethods(new Echo(), { title: 'Test', version: '1.0.0' }, { warn: () => undefined });
const caller = new Caller(methods);

describe('params are passed on in the form that every node accepts', () => {
  it.each<readonly [string, readonly unknown[], readonly unknown[]]>([
    ['eth_getBalance', [ADDRESS], [LOWER, 'latest']],
    ['eth_getBalance', [ADDRESS, null], [LOWER, 'latest']],
    ['eth_getBalance', [ADDRESS, '0xA'], [LOWER, '0xa']],
    ['eth_getBalance', [ADDRESS, { blockNumber: '0xA' }], [LOWER, '0xa']],
    ['eth_getBalance', [ADDRESS, { blockHash: HASH }], [LOWER, { blockHash: LOWER_HASH }]],
    [
      'eth_getBalance',
      [ADDRESS, { blockHash: HASH, requireCanonical: true }],
      [LOWER, { blockHash: LOWER_HASH, requireCanonical: true }],
    ],
    ['eth_getBalance', [ADDRESS, HASH], [LOWER, { blockHash: LOWER_HASH }]],
    ['eth_getStorageAt', [ADDRESS, '0x0', 'safe'], [LOWER, `0x${'0'.repeat(64)}`, 'safe']],
    ['eth_getStorageAt', [ADDRESS, HASH], [LOWER, LOWER_HASH, 'latest']],
    ['eth_getBlockByNumber', ['earliest'], ['earliest', false]],
    ['eth_getBlockByHash', [HASH, true], [LOWER_HASH, true]],
    ['eth_getBlockReceipts', [HASH], [{ blockHash: LOWER_HASH }]],
    ['eth_getBlockReceipts', ['finalized'], ['finalized']],
    ['eth_call', [{}], [{}, 'latest']],
    ['eth_call', [{ to: null, from: null, input: '0xAA', extra: [1] }, 'pending'], [{ data: '0xaa' }, 'pending']],
    ['eth_call', [{ data: '0xAA', input: '0xaA' }, 'latest', null], [{ data: '0xaa' }, 'latest']],
    ['eth_call', [{}, 'latest', {}], [{}, 'latest']],
    ['eth_estimateGas', [{}, 'pending', {}], [{}, 'pending']],
    [
      'eth_estimateGas',
      [{ to: ADDRESS, value: '0x0', type: '0x2' }],
      [{ to: LOWER, value: '0x0', type: '0x2' }, 'latest'],
    ],
    ['eth_sendRawTransaction', ['0xF8'], ['0xf8']],
    ['eth_getLogs', [{}], [{ fromBlock: 'latest', toBlock: 'latest' }]],
    ['eth_getLogs', [{ blockHash: HASH, fromBlock: null }], [{ blockHash: LOWER_HASH }]],
    [
      'eth_getLogs',
      [{ fromBlock: '0x1', toBlock: 'pending', address: ADDRESS, topics: [HASH, null, [], [HASH, LOWER_HASH]] }],
      [{ fromBlock: '0x1', toBlock: 'latest', address: [LOWER], topics: [[LOWER_HASH], null, null, [LOWER_HASH]] }],
    ],
    [
      'eth_getLogs',
      [{ fromBlock: 'latest', toBlock: '0x1', address: [], topics: [[HASH, null]] }],
      [{ fromBlock: 'latest', toBlock: '0x1', topics: [null] }],
    ],
    ['eth_feeHistory', [4, 'latest'], ['0x4', 'latest', []]],
    ['eth_feeHistory', ['0xffff', '0x10', [0, 25.5, 25.5, 100]], ['0x400', '0x10', [0, 25.5, 25.5, 100]]],
    [
      'debug_traceTransaction',
      [HASH, { tracer: 'callTracer', timeout: '10s', tracerConfig: { onlyTopCall: true, withLog: false } }],
      [LOWER_HASH, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }],
    ],
    ['debug_traceTransaction', [HASH], [LOWER_HASH, { tracer: 'callTracer' }]],
    ['debug_traceTransaction', [HASH, null], [LOWER_HASH, { tracer: 'callTracer' }]],
    ['debug_traceTransaction', [HASH, {}], [LOWER_HASH, { tracer: 'callTracer' }]],
    [
      'debug_traceTransaction',
      [HASH, { tracerConfig: { onlyTopCall: true } }],
      [LOWER_HASH, { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }],
    ],
    ['eth_chainId', [], []],
  ])('%s %j', async (method, given, passed) => {
    expect(await caller.call(method, ...given)).toEqual(passed);
  });
});

describe('invalid params get -32602 with a plain message', () => {
  it.each<readonly [string, readonly unknown[], string]>([
    ['eth_getBalance', [], 'params[0] (address) is missing'],
    ['eth_getBalance', [7], 'must be an address: 0x and 40 hex digits'],
    ['eth_getBalance', ['0x12'], 'must be an address'],
    ['eth_getBalance', [`0x${'g'.repeat(40)}`], 'must be an address'],
    ['eth_getBalance', [`0X${'a'.repeat(40)}`], 'must be an address'],
    ['eth_getBalance', [`${ADDRESS}\n`], 'must be an address'],
    ['eth_getBalance', [ADDRESS, '0x01'], 'params[1] (block): must be a block number'],
    ['eth_getBalance', [ADDRESS, '0x'], 'must be a block number'],
    ['eth_getBalance', [ADDRESS, 'Latest'], 'must be a block number'],
    ['eth_getBalance', [ADDRESS, 5], 'must be a block number'],
    ['eth_getBalance', [ADDRESS, '0x10000000000000000'], 'must be a block number'],
    ['eth_getBalance', [ADDRESS, { blockHash: HASH, blockNumber: '0x1' }], 'must be a block number'],
    ['eth_getBalance', [ADDRESS, {}], 'must be a block number'],
    ['eth_getBalance', [ADDRESS, 'latest', 'more'], 'takes at most 2 params'],
    ['eth_getBlockByNumber', [HASH], 'must be a block number'],
    ['eth_getBlockByNumber', ['latest', 'true'], 'must be a boolean'],
    ['eth_getBlockByHash', ['0x12', true], 'must be 32 bytes: 0x and 64 hex digits'],
    ['eth_getStorageAt', [ADDRESS, `0x1${'0'.repeat(64)}`], 'must be a storage slot'],
    ['eth_getTransactionByBlockHashAndIndex', [HASH, 1], 'must be a quantity'],
    ['eth_sendRawTransaction', ['0x123'], 'must be data: 0x and an even number of hex digits'],
    ['eth_sendRawTransaction', ['f8'], 'must be data'],
    ['eth_call', ['0x'], 'must be a transaction object'],
    ['eth_call', [{ to: 'alice' }], 'params[0].to (call): must be an address'],
    ['eth_call', [{ data: '0x1' }], 'params[0].data (call): must be data'],
    ['eth_call', [{ data: '0xaa', input: '0xbb' }], 'params[0].input (call): differs from data'],
    ['eth_call', [{ gas: 21000 }], 'params[0].gas (call): must be a quantity'],
    ['eth_call', [{ value: `0x1${'0'.repeat(64)}` }], 'params[0].value (call): must be a quantity'],
    ['eth_call', [{ gasPrice: '0x1', maxFeePerGas: '0x1' }], 'cannot be combined'],
    ['eth_call', [{ blobVersionedHashes: [HASH] }], 'blobs are not supported'],
    ['eth_call', [{ type: '0x3' }], 'must be one of'],
    [
      'eth_call',
      [{ accessList: [{ address: ADDRESS, storageKeys: ['0x0'] }] }],
      'params[0].accessList[0].storageKeys[0]',
    ],
    ['eth_call', [{}, 'latest', []], 'must be an object by an address'],
    ['eth_call', [{}, 'latest', { alice: {} }], 'the key must be an address'],
    ['eth_call', [{}, 'latest', { [ADDRESS]: { nonce: '0x10000000000000000' } }], 'must be a quantity'],
    ['eth_call', [{}, 'latest', { [ADDRESS]: { balance: 5 } }], 'must be a quantity'],
    ['eth_call', [{}, 'latest', { [ADDRESS]: { state: {}, stateDiff: {} } }], 'has both state and stateDiff'],
    ['eth_call', [{}, 'latest', { [ADDRESS]: { state: { '0x0': HASH } } }], 'the key must be a slot of 32 bytes'],
    ['eth_call', [{}, 'latest', { [ADDRESS]: { movePrecompileToAddress: ADDRESS } }], 'which is not supported'],
    ['eth_call', [{}, 'latest', { [ADDRESS]: { power: 1 } }], 'has the field power'],
    ['eth_call', [{}, 'latest', {}, { number: 5 }], 'must be a quantity'],
    ['eth_call', [{}, 'latest', {}, { withdrawals: [] }], 'has the field withdrawals'],
    ['eth_simulateV1', [{ blockStateCalls: [] }], 'must be an array of 1 to 256 blocks'],
    ['eth_simulateV1', [{ blockStateCalls: Array.from({ length: 257 }, () => ({})) }], '1 to 256 blocks'],
    [
      'eth_simulateV1',
      [{ blockStateCalls: [600, 600].map((length) => ({ calls: Array.from({ length }, () => ({})) })) }],
      'at most 1,000 calls in all',
    ],
    ['eth_simulateV1', [{ blockStateCalls: [{ calls: [{ to: 'x' }] }] }], 'blockStateCalls[0].calls[0].to'],
    ['eth_getProof', [ADDRESS, Array.from({ length: 1_025 }, () => '0x0')], 'at most 1,024 slots'],
    ['eth_sendRawTransactionSync', ['0x', -1], 'must be milliseconds'],
    ['eth_getLogs', [[]], 'must be a filter object'],
    ['eth_getLogs', [{ blockHash: HASH, toBlock: 'latest' }], 'blockHash cannot be combined'],
    ['eth_getLogs', [{ fromBlock: '0x2', toBlock: '0x1' }], 'fromBlock is after toBlock'],
    ['eth_getLogs', [{ fromBlock: '0x1', toBlock: 'earliest' }], 'fromBlock is after toBlock'],
    ['eth_getLogs', [{ topics: [null, null, null, null, null] }], 'at most 4 positions'],
    ['eth_getLogs', [{ topics: ['0x1'] }], 'params[0].topics[0] (query): must be 32 bytes'],
    ['eth_getLogs', [{ address: 'x' }], 'params[0].address (query): must be an address'],
    ['eth_getLogs', [{ address: 7 }], 'must be an address or an array of at most 1,000 addresses'],
    ['eth_getLogs', [{ topics: [7] }], 'must be a topic'],
    ['eth_newFilter', [{ blockHash: HASH }], 'a filter takes no blockHash'],
    ['eth_newFilter', [{ toBlock: 'finalized' }], 'toBlock of a filter'],
    ['eth_feeHistory', ['0x0', 'latest'], 'must be at least 1 block'],
    ['eth_feeHistory', [1.5, 'latest'], 'must be a number of blocks'],
    ['eth_feeHistory', ['0x1', 'latest', [50, 10]], 'must be rising'],
    ['eth_feeHistory', ['0x1', 'latest', [101]], 'from 0 to 100'],
    ['debug_traceTransaction', [HASH, { tracer: '4byteTracer' }], 'the supported tracers'],
    ['debug_traceTransaction', [HASH, { tracer: 'callTracer', tracerConfig: { withLog: true } }], 'not supported'],
    ['eth_getFilterChanges', ['0x01'], 'must be a quantity'],
    ['eth_chainId', ['x'], 'takes no params'],
  ])('%s %j: %s', async (method, params, words) => {
    const { code, message } = await caller.refusal(method, ...params);
    expect(code).toBe(-32602);
    expect(message).toContain(words);
    expect(message).not.toMatch(/zod|Invalid input|expected/i);
  });

  it.each(['address', 'topics'])('limits the number of alternatives in %s', async (field) => {
    const most = Array.from({ length: 1_000 }, () => (field === 'address' ? ADDRESS : HASH));
    const query = (list: readonly string[]) => ({ [field]: field === 'address' ? list : [list] });
    await caller.call('eth_getLogs', query(most));
    const { code, message } = await caller.refusal('eth_getLogs', query([...most, most[0]!]));
    expect(code).toBe(-32602);
    expect(message).toContain('at most 1,000');
  });

  it.each(['accessList', 'authorizationList'])('stops at the first wrong entry of %s', (field) => {
    const schema = methods.get('eth_call')?.params[0]?.schema;
    const keys = { address: ADDRESS, storageKeys: [HASH, 1, 2, 3] };
    for (const list of [[1, 2, 3], [keys, keys, 1], Array.from({ length: 1_000 }, () => 1)]) {
      const issues = schema?.safeParse({ [field]: list }).error?.issues ?? [];
      expect(new Set(issues.map(({ path }) => path[1]))).toEqual(new Set([0]));
    }
  });

  it('treats null as no params', () => {
    expect(checkParams(methods.get('eth_chainId')!, null)).toEqual([]);
  });

  it('accepts a transaction that fills the longest body', async () => {
    const raw = `0x${'ab'.repeat(500_000)}`;
    expect(await caller.call('eth_sendRawTransaction', raw)).toEqual([raw]);
    expect((await caller.refusal('eth_sendRawTransaction', `${raw}a`)).code).toBe(-32602);
  });
});

describe('methods that the gateway answers itself', () => {
  it('has no accounts, listens, and hashes', async () => {
    expect(await caller.call('eth_accounts')).toEqual([]);
    expect(await caller.call('net_listening')).toBe(true);
    expect(await caller.call('web3_sha3', '0x')).toBe(
      '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    );
  });
});
