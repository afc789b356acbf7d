import { describe, expect, it } from '@jest/globals';
import { ResultCache } from './result-cache.js';

const DEPTH = 6;
const HEAD = 100;
const HASH = `0x${'ab'.repeat(32)}`;

function kept(method: string, params: unknown[], result: unknown, head: number | null = HEAD): boolean {
  const cache = new ResultCache(1_000_000, DEPTH);
  cache.put(method, params, result, head, cache.epoch);
  return cache.get(method, params) !== undefined;
}

describe('ResultCache', () => {
  it.each([
    ['a deep block by number', 'eth_getBlockByNumber', ['0x5e', true], { number: '0x5e' }, true],
    ['a block not deep enough', 'eth_getBlockByNumber', ['0x5f', true], { number: '0x5f' }, false],
    ['a tag', 'eth_getBlockByNumber', ['finalized', true], { number: '0x1' }, false],
    ['a deep block by hash', 'eth_getBlockByHash', [HASH, false], { number: '0x1' }, true],
    ['a receipt', 'eth_getTransactionReceipt', [HASH], { blockNumber: '0x1' }, true],
    ['a pending transaction', 'eth_getTransactionByHash', [HASH], { blockNumber: null }, false],
    ['receipts of a block', 'eth_getBlockReceipts', ['0x1'], [{ blockNumber: '0x1' }], true],
    ['receipts of an empty block', 'eth_getBlockReceipts', ['0x1'], [], false],
    ['nothing', 'eth_getTransactionReceipt', [HASH], null, false],
    ['a balance', 'eth_getBalance', [HASH, '0x1'], '0x1', false],
  ])('%s', (_, method, params, result, expected) => {
    expect(kept(method, params, result)).toBe(expected);
  });

  it('stores no result before a head is known', () => {
    expect(kept('eth_getBlockByNumber', ['0x1', false], { number: '0x1' }, null)).toBe(false);
  });

  it('does not store results requested before it was cleared', () => {
    const cache = new ResultCache(1_000_000, DEPTH);
    const { epoch } = cache;
    cache.clear();
    cache.put('eth_getBlockByNumber', ['0x1', false], { number: '0x1' }, HEAD, epoch);
    expect(cache.get('eth_getBlockByNumber', ['0x1', false])).toBeUndefined();
  });

  it('stays within its size', () => {
    const cache = new ResultCache(100_000, DEPTH);
    const params = (index: number) => [`0x${index.toString(16).padStart(64, '0')}`];
    for (let index = 0; index < 1_000; index++) {
      const result = { blockNumber: '0x1', filler: 'x'.repeat(500) };
      cache.put('eth_getTransactionReceipt', params(index), result, HEAD, cache.epoch);
    }
    const found = Array.from({ length: 1_000 }, (_, index) => cache.get('eth_getTransactionReceipt', params(index)));
    const count = found.filter((one) => one !== undefined).length;
    expect(count).toBeGreaterThan(20);
    expect(count).toBeLessThan(100);
    const large = { blockNumber: '0x1', filler: 'x'.repeat(50_000) };
    cache.put('eth_getTransactionReceipt', [HASH], large, HEAD, cache.epoch);
    expect(cache.get('eth_getTransactionReceipt', [HASH])).toBeUndefined();
  });
});
