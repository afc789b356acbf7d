import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testKey } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createEmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import type { EmbeddedBackend } from '../../src/backends/embedded/embedded-backend.js';
import { createMethods, type MethodRegistry } from '../../src/methods/registry.js';
import { Caller } from '../setup/caller.js';

const OWNER = privateKeyToAccount(testKey(0));
const LARGE: Hex = `0x${'00'.repeat(126 * 1024)}`;

interface PendingBlock {
  readonly transactions: readonly unknown[];
}

describe('the pending block', () => {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-pending-'));
  let backend: EmbeddedBackend;
  let created: MethodRegistry;
  let caller: Caller;

  beforeAll(async () => {
    backend = await createEmbeddedBackend({
      chainId: 8901,
      dataDirectory: directory,
      genesisFile: null,
      // No block comes while the test runs.
      blockIntervalMs: 3_600_000,
      clientVersion: 'Causeway/test',
    });
    created = createMethods(backend, { title: 'Partner chain', version: '1.0.0' }, { warn: () => undefined });
    caller = new Caller(created.methods);
  });
  afterAll(async () => {
    created?.filters.close();
    await backend?.close();
    rmSync(directory, { recursive: true });
  });

  const send = async (nonce: number, data: Hex = '0x') =>
    caller.call<Hex>(
      'eth_sendRawTransaction',
      await OWNER.signTransaction({
        to: OWNER.address,
        nonce,
        data,
        gas: 2_000_000n,
        gasPrice: parseGwei('1'),
        chainId: 8901,
      }),
    );

  /** The transactions of the block, after checking that all other methods agree with it. */
  async function pending(): Promise<readonly unknown[]> {
    const { transactions } = await caller.call<PendingBlock>('eth_getBlockByNumber', 'pending', true);
    const count: Hex = `0x${transactions.length.toString(16)}`;
    expect(await caller.call('eth_getBlockTransactionCountByNumber', 'pending')).toBe(count);
    expect(await caller.call('partner_getNetworkStats')).toMatchObject({ pendingTransactions: count });
    const at = (index: Hex) => caller.call('eth_getTransactionByBlockNumberAndIndex', 'pending', index);
    for (const [index, transaction] of transactions.entries()) {
      expect(await at(`0x${index.toString(16)}`)).toEqual(transaction);
    }
    expect(await at(count)).toBeNull();
    expect(await at('0xffffffffffffffff')).toBeNull();
    return transactions;
  }

  it('is the same in every method that counts it or shows one of its transactions', async () => {
    expect(await pending()).toEqual([]);
    const first = await send(0);
    await send(2);
    const place = { blockHash: null, blockNumber: null, transactionIndex: null };
    expect(await pending()).toMatchObject([{ hash: first, nonce: '0x0', ...place }]);
    await send(1);
    expect(await pending()).toMatchObject([{ nonce: '0x0' }, { nonce: '0x1' }, { nonce: '0x2' }]);
  });

  it('holds 1 MiB at most, however much waits', async () => {
    for (let nonce = 3; nonce < 13; nonce += 1) await send(nonce, LARGE);
    expect(await pending()).toHaveLength(3 + 8);
  });
});
