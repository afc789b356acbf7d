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

describe('what waits', () => {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-pending-'));
  let backend: EmbeddedBackend;
  let created: MethodRegistry;
  let caller: Caller;

  beforeAll(async () => {
    backend = await createEmbeddedBackend({
      chainId: 8901,
      dataDirectory: directory,
      genesisFile: null,
      // No block is made while the test runs.
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

  it('is the pending block, consistently in every method that counts it or shows one of its transactions', async () => {
    expect(await pending()).toEqual([]);
    const first = await send(0);
    await send(2);
    const place = { blockHash: null, blockNumber: null, transactionIndex: null };
    expect(await pending()).toMatchObject([{ hash: first, nonce: '0x0', ...place }]);
  });

  it("is shown by sender and nonce, separately behind a nonce gap, in geth's format", async () => {
    await send(11);
    expect(await caller.call('txpool_status')).toEqual({ pending: '0x1', queued: '0x2' });
    const [waiting] = await pending();
    const content = await caller.call<Record<'pending' | 'queued', object>>('txpool_content');
    expect(content.pending).toEqual({ [OWNER.address]: { '0': waiting } });
    const queued = { '2': { nonce: '0x2', from: OWNER.address.toLowerCase() }, '11': { nonce: '0xb' } };
    expect(content.queued).toMatchObject({ [OWNER.address]: queued });
    const own = await caller.call('txpool_contentFrom', OWNER.address);
    expect(own).toEqual({ pending: { '0': waiting }, queued: Object.values(content.queued)[0] });
    const line = `${OWNER.address}: 0 wei + 2000000 gas × 1000000000 wei`;
    expect(await caller.call('txpool_inspect')).toEqual({
      pending: { [OWNER.address]: { '0': line } },
      queued: { [OWNER.address]: { '2': line, '11': line } },
    });
    const other = '0x000000000000000000000000000000000000dead';
    expect(await caller.call('txpool_contentFrom', other)).toEqual({ pending: {}, queued: {} });
  });

  it('moves to the pending block when the gap is closed', async () => {
    await send(1);
    expect(await pending()).toMatchObject([{ nonce: '0x0' }, { nonce: '0x1' }, { nonce: '0x2' }]);
    expect(await caller.call('txpool_status')).toEqual({ pending: '0x3', queued: '0x1' });
  });

  it('is shown up to 1 MiB', async () => {
    for (let nonce = 13; nonce < 23; nonce += 1) await send(nonce, LARGE);
    expect(await caller.call('txpool_status')).toEqual({ pending: '0x3', queued: '0x9' });
    const { queued } = await caller.call<Record<'queued', object>>('txpool_content');
    expect(Object.keys(Object.values(queued)[0] as object)).toHaveLength(9);
    for (const nonce of [3, 4, 5, 6, 7, 8, 9, 10, 12]) await send(nonce, LARGE);
    expect(await pending()).toHaveLength(3 + 8 + 1);
    expect(await caller.call('txpool_status')).toEqual({ pending: '0xc', queued: '0x0' });
  });
});
