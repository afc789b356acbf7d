import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createWalletClient, createPublicClient, custom, defineChain, parseEther, parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { createEmbeddedBackend } from '../../src/backend/embedded/create-embedded-backend.js';
import type { EmbeddedBackend } from '../../src/backend/embedded/embedded-backend.js';

const CHAIN = defineChain({
  id: 8901,
  name: 'partner',
  nativeCurrency: { name: 'XCN', symbol: 'XCN', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});
const SLOT: Hex = `0x${'11'.repeat(32)}`;
const ALICE = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');

describe('the embedded backend', () => {
  const directory = mkdtempSync(join(tmpdir(), 'causeway-embedded-'));
  let backend: EmbeddedBackend;
  const ask = <T>(method: string, ...params: unknown[]): Promise<T> => backend.request(method, params) as Promise<T>;
  const transport = custom({ request: ({ method, params }) => backend.request(method, (params as unknown[]) ?? []) });
  const client = createPublicClient({ chain: CHAIN, transport, pollingInterval: 20 });
  const wallet = createWalletClient({ chain: CHAIN, transport, account: ALICE });

  beforeAll(async () => {
    backend = await createEmbeddedBackend({
      chainId: 8901,
      dataDirectory: directory,
      genesisFile: null,
      blockIntervalMs: 0,
      clientVersion: 'Causeway/test',
    });
  });
  afterAll(async () => {
    await backend.close();
    rmSync(directory, { recursive: true });
  });

  it('sends a transfer of every type and shows it as it was sent', async () => {
    const fees = { gasPrice: parseGwei('1') };
    for (const request of [
      { type: 'legacy' as const, ...fees },
      {
        type: 'eip2930' as const,
        ...fees,
        accessList: [{ address: ALICE.address, storageKeys: [SLOT] }],
      },
      { type: 'eip1559' as const, maxFeePerGas: parseGwei('2'), maxPriorityFeePerGas: parseGwei('1') },
    ]) {
      const to = `0x${'ab'.repeat(19)}0${request.type.length % 10}` as Hex;
      const hash = await wallet.sendTransaction({ to, value: parseEther('1'), ...request });
      const receipt = await client.waitForTransactionReceipt({ hash });
      expect(receipt.status).toBe('success');
      const transaction = await client.getTransaction({ hash });
      expect(transaction).toMatchObject({ type: request.type, to, value: parseEther('1'), chainId: 8901 });
      expect(await client.getBalance({ address: to })).toBeGreaterThanOrEqual(parseEther('1'));
      const block = await client.getBlock({ blockHash: receipt.blockHash, includeTransactions: true });
      expect(block.transactions[0]?.hash).toBe(hash);
    }
  });

  it('tells unknown things by null, state of unknown blocks by -32001', async () => {
    const unknown = `0x${'12'.repeat(32)}`;
    expect(await ask('eth_getTransactionByHash', unknown)).toBeNull();
    expect(await ask('eth_getTransactionReceipt', unknown)).toBeNull();
    expect(await ask('eth_getBlockByHash', unknown, false)).toBeNull();
    expect(await ask('eth_getBlockByNumber', '0xffffff', false)).toBeNull();
    await expect(ask('eth_getBalance', ALICE.address, '0xffffff')).rejects.toMatchObject({ code: -32001 });
    await expect(ask('eth_call', {}, { blockHash: unknown })).rejects.toMatchObject({ code: -32001 });
    await expect(ask('eth_getLogs', { blockHash: unknown })).rejects.toMatchObject({ code: -32001 });
    await expect(ask('debug_traceTransaction', unknown, undefined)).rejects.toMatchObject({ code: -32001 });
  });

  it('refuses dust: -32602 in a call, -32003 in a transaction', async () => {
    const call = { from: ALICE.address, to: ALICE.address, value: '0x1' };
    await expect(ask('eth_call', call, 'latest')).rejects.toMatchObject({ code: -32602 });
    await expect(ask('eth_estimateGas', call, 'latest')).rejects.toMatchObject({ code: -32602 });
    const raw = await wallet.signTransaction({
      to: ALICE.address,
      value: 1n,
      gas: 21_000n,
      nonce: 0,
      type: 'eip1559',
      maxFeePerGas: parseGwei('1'),
      maxPriorityFeePerGas: 0n,
    });
    await expect(ask('eth_sendRawTransaction', raw)).rejects.toMatchObject({ code: -32003 });
  });
});
