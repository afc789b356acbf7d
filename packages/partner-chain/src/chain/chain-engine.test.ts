import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EVM } from '@ethereumjs/evm';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { hexToBytes, parseEther, parseGwei, type Hex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { ChainEngine } from './chain-engine.js';
import { chainOptionsSchema } from './chain-options.js';

const ALICE = privateKeyToAccount(`0x${'01'.repeat(32)}`);
const BOB = privateKeyToAccount(`0x${'02'.repeat(32)}`);

let directory: string;
let engine: ChainEngine;
const events: string[] = [];
const listener = {
  onBlock: ({ number }: { number: number }) => events.push(`block ${number}`),
  onPendingTransaction: () => undefined,
  onFault: (fault: Error) => events.push(fault.message.replace(/0x\w+/, 'x')),
  onFailure: (error: unknown) => events.push(`failure ${String(error)}`),
};

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'causeway-engine-'));
  const balance = parseEther('1000').toString();
  const options = chainOptionsSchema.parse({
    dataDirectory: directory,
    blockIntervalMs: 3_600_000,
    genesis: { alloc: { [ALICE.address]: { balance }, [BOB.address]: { balance } } },
  });
  events.length = 0;
  engine = await ChainEngine.start(options, listener, Date.now);
});

afterEach(async () => {
  jest.restoreAllMocks();
  await engine.close();
  rmSync(directory, { recursive: true });
});

async function send(from: typeof ALICE, nonce: number): Promise<Hex> {
  const raw = await from.signTransaction({
    type: 'eip1559',
    chainId: 8901,
    nonce,
    to: BOB.address,
    value: parseEther('1'),
    gas: 30_000n,
    maxFeePerGas: parseGwei(from === ALICE ? '5' : '1'),
    maxPriorityFeePerGas: parseGwei('0.5'),
  });
  return engine.submit(hexToBytes(raw));
}

describe('a transaction on which the EVM itself fails', () => {
  it('is dropped and reported, and the other transactions of the block are mined', async () => {
    const broken = await send(ALICE, 0);
    const good = await send(BOB, 0);
    jest.spyOn(EVM.prototype, 'runCall').mockRejectedValueOnce(new RangeError('out of ideas'));
    await engine.mine();
    expect(events).toEqual(['the EVM failed on transaction x: out of ideas', 'block 1']);
    expect(engine.pendingTransaction(broken)).toBeUndefined();
    expect(engine.pendingTransaction(good)).toBeUndefined();
    expect(engine.pendingNonce(hexToBytes(ALICE.address))).toBe(0n);
    expect(engine.pendingNonce(hexToBytes(BOB.address))).toBe(1n);
  });

  it('cannot stop the chain, whatever their number', async () => {
    for (let nonce = 0; nonce < 20; nonce += 1) await send(ALICE, nonce);
    const run = jest.spyOn(EVM.prototype, 'runCall').mockRejectedValue(new RangeError('out of ideas'));
    await engine.mine();
    expect(events.at(-1)).toBe('block 1');
    run.mockRestore();
    await send(ALICE, 0);
    await engine.mine();
    expect(events.at(-1)).toBe('block 2');
    expect(engine.pendingNonce(hexToBytes(ALICE.address))).toBeGreaterThan(0n);
  });
});

describe('a chain that mines on transaction', () => {
  it('makes no block for a transaction after a nonce gap', async () => {
    await engine.close();
    const balance = parseEther('1000').toString();
    const options = chainOptionsSchema.parse({
      dataDirectory: `${directory}-instant`,
      blockIntervalMs: 0,
      genesis: { alloc: { [ALICE.address]: { balance }, [BOB.address]: { balance } } },
    });
    engine = await ChainEngine.start(options, listener, Date.now);
    try {
      const second = await send(ALICE, 1);
      await engine.mined(second);
      await new Promise((resolve) => setTimeout(resolve, 30));
      expect(events).toEqual([]);
      const first = await send(ALICE, 0);
      await engine.mined(first);
      expect(engine.pendingTransaction(first)).toBeUndefined();
      await engine.mined(second);
      expect(engine.pendingTransaction(second)).toBeUndefined();
      expect(events).toEqual(['block 1']);
      expect(engine.pendingNonce(hexToBytes(ALICE.address))).toBe(2n);
    } finally {
      rmSync(`${directory}-instant`, { recursive: true, force: true });
    }
  });
});
