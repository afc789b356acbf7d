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
const told: string[] = [];

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'causeway-engine-'));
  const balance = parseEther('1000').toString();
  const options = chainOptionsSchema.parse({
    dataDirectory: directory,
    blockIntervalMs: 3_600_000,
    genesis: { alloc: { [ALICE.address]: { balance }, [BOB.address]: { balance } } },
  });
  told.length = 0;
  const listener = {
    onBlock: ({ number }: { number: number }) => told.push(`block ${number}`),
    onPendingTransaction: () => undefined,
    onFault: (fault: Error) => told.push(fault.message.replace(/0x\w+/, 'x')),
    onFailure: (error: unknown) => told.push(`failure ${String(error)}`),
  };
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

describe('a transaction at which the EVM itself breaks', () => {
  it('is dropped, told, and the others of the block stand', async () => {
    const broken = await send(ALICE, 0);
    const good = await send(BOB, 0);
    jest.spyOn(EVM.prototype, 'runCall').mockRejectedValueOnce(new RangeError('out of ideas'));
    await engine.mine();
    expect(told).toEqual(['the EVM broke at transaction x: out of ideas', 'block 1']);
    expect(engine.pendingTransaction(broken)).toBeUndefined();
    expect(engine.pendingTransaction(good)).toBeUndefined();
    expect(engine.pendingNonce(hexToBytes(ALICE.address))).toBe(0n);
    expect(engine.pendingNonce(hexToBytes(BOB.address))).toBe(1n);
  });

  it('cannot stop the chain, however many there are', async () => {
    for (let nonce = 0; nonce < 20; nonce += 1) await send(ALICE, nonce);
    const run = jest.spyOn(EVM.prototype, 'runCall').mockRejectedValue(new RangeError('out of ideas'));
    await engine.mine();
    expect(told.at(-1)).toBe('block 1');
    run.mockRestore();
    await send(ALICE, 0);
    await engine.mine();
    expect(told.at(-1)).toBe('block 2');
    expect(engine.pendingNonce(hexToBytes(ALICE.address))).toBeGreaterThan(0n);
  });
});
