import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { bytesToHex, hexToBytes, type Address, type Hex } from 'viem';
import { PartnerChainError, PartnerChain, type CallRequest, type ChainOptionsInput } from '../dist/index.js';
import { makeAccount, ALICE } from './engine-world.js';
import { BUSY, CONTRACTS, LOGGER, LOOP, READER, REVERTER, STORE, words } from './contracts.js';

const UNIT = 10n ** 10n;
const alloc = {
  ...Object.fromEntries(Object.entries(CONTRACTS).map(([address, code]) => [address, { code }])),
  [ALICE.address]: { balance: (10n ** 24n).toString() },
};

let directory: string;
let chain: PartnerChain;
/** Call threads. Each takes a second of CPU time to load, so only tests that need them start them. */
let threads = 0;

const makeOptions = (options: Partial<ChainOptionsInput> = {}): ChainOptionsInput => ({
  dataDirectory: directory,
  blockIntervalMs: 0,
  genesis: { alloc },
  ...options,
});

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'partner-chain-'));
  chain = await PartnerChain.open(makeOptions(), { threads, timeoutMs: 5_000 });
});

afterEach(async () => {
  await chain.close();
  rmSync(directory, { recursive: true, force: true });
});

async function signed(
  nonce: number,
  to: Address,
  data: Hex = '0x',
  units = 0n,
  gas = 700_000n,
  feeFactor = 1n,
): Promise<Uint8Array> {
  const fees = { maxFeePerGas: feeFactor * 10n ** 9n, maxPriorityFeePerGas: feeFactor * 10n ** 8n };
  const shape = { type: 'eip1559', chainId: 8901, nonce, to, data, value: units * UNIT, gas } as const;
  return hexToBytes(await ALICE.signTransaction({ ...shape, ...fees }));
}

const request = (to: Address, data: Hex = '0x', changes: Partial<CallRequest> = {}): CallRequest => ({
  from: ALICE.address.toLowerCase() as Address,
  to,
  value: 0n,
  data,
  gas: null,
  gasPrice: 0n,
  accessList: [],
  ...changes,
});

/** Resolves with the next block. */
function nextBlock(): Promise<{ number: number; hash: Hex }> {
  return new Promise((resolve) => {
    const stop = chain.listen({
      onBlock: (block) => {
        stop();
        resolve(block);
      },
      onPendingTransaction: () => undefined,
      onFault: () => undefined,
      onFailure: () => undefined,
    });
  });
}

/** Waits for the event that the chain makes no more blocks. */
function waitForFailure(of: PartnerChain): Promise<Error> {
  return new Promise((resolve) => {
    of.listen({
      onBlock: () => undefined,
      onPendingTransaction: () => undefined,
      onFault: () => undefined,
      onFailure: resolve,
    });
  });
}

describe('a transaction', () => {
  it('is mined automatically, and can be read when its block is announced', async () => {
    const announced = nextBlock();
    const hash = await chain.submit(await signed(0, STORE, words(1n, 2n)));
    const block = await announced;
    expect(block).toEqual({ number: 1, hash: bytesToHex(chain.reader.block(1)!.hash) });
    expect(chain.headNumber()).toBe(1);
    expect(chain.reader.place(hexToBytes(hash))).toEqual({ blockNumber: 1, index: 0 });
    expect(await chain.pendingCount({ transactions: 10, bytes: 10_000 })).toBe(0);
  });

  it('that is refused has its reason across the threads', async () => {
    await expect(chain.submit(Uint8Array.of(1, 2, 3))).rejects.toBeInstanceOf(PartnerChainError);
    await expect(chain.submit(Uint8Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'TRANSACTION_REJECTED' });
  });

  it('that is pending can be read', async () => {
    const raw = await signed(1, STORE);
    const hash = await chain.submit(raw);
    expect(await chain.pendingTransaction(hash)).toEqual({ hash, raw, sender: ALICE.address.toLowerCase() });
    expect(await chain.pendingNonce(hexToBytes(ALICE.address))).toBe(0n);
    await chain.submit(await signed(0, STORE));
    await chain.mine();
    expect(await chain.pendingTransaction(hash)).toBeNull();
    expect(await chain.pendingNonce(hexToBytes(ALICE.address))).toBe(2n);
  });
});

describe('pending transactions', () => {
  it('are listed up to a number and a size, without those after a nonce gap', async () => {
    const raws: Uint8Array[] = [];
    for (const nonce of [2, 1, 4]) raws.push(await signed(nonce, STORE, `0x${'00'.repeat(1_000)}`));
    for (const raw of raws) await chain.submit(raw);
    const shown = async (transactions: number, bytes: number): Promise<Uint8Array[]> => {
      const bounds = { transactions, bytes };
      const waiting = await chain.pendingTransactions(bounds);
      // Counting them, and reading them one by one, gives the same.
      expect(await chain.pendingCount(bounds)).toBe(waiting.length);
      for (const [index, one] of waiting.entries()) {
        expect(await chain.pendingTransactionAt(index, bounds)).toEqual(one);
      }
      expect(await chain.pendingTransactionAt(waiting.length, bounds)).toBeNull();
      return waiting.map(({ raw }) => raw);
    };
    expect(await shown(10, 10_000)).toEqual([]);
    await chain.close();
    // One block a minute, so that executable transactions stay pending too.
    chain = await PartnerChain.open(makeOptions({ blockIntervalMs: 60_000 }), { threads });
    const first = await signed(0, STORE);
    for (const raw of [...raws, first]) await chain.submit(raw);
    expect(await shown(10, 10_000)).toEqual([first, raws[1], raws[0]]);
    expect(await shown(2, 10_000)).toEqual([first, raws[1]]);
    expect(await shown(10, 2_000)).toEqual([first, raws[1]]);
  });
});

describe('while a block is executed', () => {
  it('transactions are accepted and pending nonces answered, long before the block is complete', async () => {
    const blocks: number[] = [];
    const stop = chain.listen({
      onBlock: ({ number }) => void blocks.push(number),
      onPendingTransaction: () => undefined,
      onFault: () => undefined,
      onFailure: () => undefined,
    });
    const mined = nextBlock();
    // A loop that computes until its 16 million gas is used up.
    await chain.submit(await signed(0, BUSY, '0x', 0n, 16_000_000n));
    const next = await signed(1, STORE, words(1n, 2n));
    const hash = await chain.submit(next);
    for (let round = 1; round <= 3; round += 1) {
      expect(await chain.pendingNonce(hexToBytes(ALICE.address))).toBe(2n);
      expect(await chain.pendingCount({ transactions: 10, bytes: 10_000 })).toBe(2);
    }
    // All of this took less time than the block.
    expect(blocks).toEqual([]);
    await mined;
    expect(chain.reader.receipt(1, 0)).toMatchObject({ status: 0, gasUsed: 16_000_000n });
    await chain.mine();
    expect(await chain.pendingCount({ transactions: 10, bytes: 10_000 })).toBe(0);
    expect(chain.reader.place(hexToBytes(hash))).not.toBeNull();
    stop();
  });

  it('a replacement takes the place of a transaction that has not run yet', async () => {
    const mined = nextBlock();
    await chain.submit(await signed(0, BUSY, '0x', 0n, 16_000_000n));
    const replaced = await chain.submit(await signed(1, STORE, words(1n, 2n)));
    const replacement = await chain.submit(await signed(1, STORE, words(1n, 3n), 0n, 800_000n, 2n));
    await mined;
    await chain.mine();
    expect(chain.reader.place(hexToBytes(replaced))).toBeNull();
    expect(chain.reader.place(hexToBytes(replacement))).not.toBeNull();
  });
});

describe('calls', () => {
  beforeAll(() => void (threads = 2));
  afterAll(() => void (threads = 0));

  it('in parallel give the same results as one by one, at every block', async () => {
    for (let nonce = 0; nonce < 3; nonce += 1) await chain.submit(await signed(nonce, READER, '0x', 5n));
    await chain.mine();
    const head = chain.headNumber();
    const numbers = Array.from({ length: 60 }, (_, index) => index % (head + 1));
    const one: Hex[] = [];
    for (let number = 0; number <= head; number += 1) {
      one.push(bytesToHex(await chain.run('call', number, request(READER))));
    }
    const all = await Promise.all(numbers.map((number) => chain.run('call', number, request(READER))));
    expect(all.map((result) => bytesToHex(result))).toEqual(numbers.map((number) => one[number]));
    expect(new Set(one).size).toBeGreaterThan(1);
  });

  it('that revert have their return data', async () => {
    await expect(chain.run('call', 0, request(REVERTER))).rejects.toMatchObject({
      code: 'EXECUTION_REVERTED',
      data: words(7n),
    });
  });

  it('at an unknown block are refused, as are its logs', async () => {
    await expect(chain.run('call', 5, request(READER))).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const query = { fromBlock: 0, toBlock: 5, addresses: [], topics: [] };
    await expect(chain.run('findLogs', query.toBlock, query)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('estimate the gas that the transaction then uses', async () => {
    const draft = request(makeAccount('fresh').address, '0x', { value: UNIT });
    expect(await chain.run('estimateGas', 0, draft)).toBe(587_000n);
  });

  it('find logs', async () => {
    const announced = nextBlock();
    await chain.submit(await signed(0, LOGGER, words(1n, 2n, 3n)));
    await announced;
    const [log] = await chain.run('findLogs', 1, {
      fromBlock: 0,
      toBlock: 1,
      addresses: [hexToBytes(LOGGER)],
      topics: [],
    });
    expect(log?.topics.map((topic) => bytesToHex(topic))).toEqual([words(1n), words(2n)]);
    expect(bytesToHex(log!.data)).toBe(words(3n));
  });

  it('that never end run out of gas', async () => {
    const endless = request(LOOP, '0x', { gas: 1_000_000n });
    await expect(chain.run('call', 0, endless)).rejects.toMatchObject({
      code: 'EXECUTION_REVERTED',
      message: 'out of gas',
    });
  });
});

describe('calls that take too long', () => {
  it('are ended with their thread, and later calls are answered', async () => {
    const impatient = mkdtempSync(join(tmpdir(), 'partner-chain-'));
    const pool = { threads: 1, timeoutMs: 1_500, queue: 3 };
    const other = await PartnerChain.open({ ...makeOptions(), dataDirectory: impatient }, pool);
    try {
      const endless = other.run('call', 0, { ...request(READER), to: null, data: `0x${MULTIPLIES_FOR_EVER}` });
      const waiting = [0, 1, 2].map(() => other.run('call', 0, request(READER)));
      await expect(other.run('call', 0, request(READER))).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: expect.stringContaining('too many calls'),
      });
      await expect(endless).rejects.toMatchObject({
        code: 'UNAVAILABLE',
        message: 'the call took longer than 1500 ms',
      });
      expect((await Promise.all(waiting)).map(({ length }) => length)).toEqual([160, 160, 160]);
      await other.mine();
      expect(other.headNumber()).toBe(1);
    } finally {
      await other.close();
      rmSync(impatient, { recursive: true, force: true });
    }
  });
});

/** Code that multiplies a point of a curve again and again, which takes five seconds for the gas of one call. */
const MULTIPLIES_FOR_EVER = [
  '6001600052', // MSTORE(0, 1)
  '6002602052', // MSTORE(32, 2)
  '600019604052', // MSTORE(64, 2^256 - 1)
  '5b', // JUMPDEST, at 16
  '60006000606060006007', // no output, 96 bytes of input, precompile 7
  '5afa50', // STATICCALL with all gas, POP
  '601056', // JUMP to 16
].join('');

describe('a chain that is opened again', () => {
  const again = (options: Partial<ChainOptionsInput> = {}) => PartnerChain.open(makeOptions(options), { threads });

  it('continues where it stopped', async () => {
    const announced = nextBlock();
    const hash = await chain.submit(await signed(0, STORE, words(1n, 2n), 3n));
    await announced;
    const { hash: head } = chain.reader.block(1)!;
    await chain.close();
    chain = await again();
    expect(chain.headNumber()).toBe(1);
    expect(chain.reader.block(1)?.hash).toEqual(head);
    expect(chain.reader.place(hexToBytes(hash))).toEqual({ blockNumber: 1, index: 0 });
    const next = nextBlock();
    await chain.submit(await signed(1, STORE, words(1n, 3n)));
    await next;
    expect(chain.reader.block(2)?.header.parentHash).toEqual(head);
  });

  it('has lost its pending transactions, which can be submitted again', async () => {
    const raw = await signed(1, STORE);
    const hash = await chain.submit(raw);
    await chain.close();
    chain = await again();
    expect(await chain.pendingTransaction(hash)).toBeNull();
    expect(await chain.submit(raw)).toBe(hash);
  });

  it.each<[string, Partial<ChainOptionsInput>]>([
    ['another chain id', { chainId: 327 }],
    ['another genesis', { genesis: { alloc: { ...alloc, [STORE]: { balance: '0x2540be400' } } } }],
    ['another genesis time', { genesis: { alloc, timestamp: 5 } }],
    ['another validator', { validator: `0x${'11'.repeat(20)}` }],
  ])('with %s is refused, and stays unchanged', async (_, options) => {
    await chain.mine();
    await chain.close();
    await expect(again(options)).rejects.toThrow(/holds another chain/);
    chain = await again();
    expect(chain.headNumber()).toBe(1);
  });
});

describe('a second chain in the same directory', () => {
  it('cannot corrupt the first: of two that build on the same block, one continues, and the other stops with an error', async () => {
    const second = await PartnerChain.open(makeOptions(), { threads });
    try {
      const failure = waitForFailure(second);
      await chain.mine();
      const { hash } = chain.reader.block(1)!;
      await expect(second.mine()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect((await failure).message).toMatch(/another process writes to the same directory/);
      await chain.mine();
      expect(chain.headNumber()).toBe(2);
      expect(chain.reader.block(1)?.hash).toEqual(hash);
      expect(chain.reader.block(2)?.header.parentHash).toEqual(hash);
    } finally {
      await second.close();
    }
  });
});

describe('the end', () => {
  it('of the writer’s thread by an error is reported, and the chain can still be read and closed', async () => {
    const failure = waitForFailure(chain);
    await (chain as unknown as { engine: { terminate(): Promise<void> } }).engine.terminate();
    expect((await failure).message).toBe("the writer's thread ended");
    expect(chain.headNumber()).toBe(0);
    await expect(chain.submit(await signed(0, STORE))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await chain.close();
  });

  it('refuses later requests, and is idempotent', async () => {
    await Promise.all([chain.close(), chain.close()]);
    await expect(chain.run('call', 0, request(READER))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(chain.mine()).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('waits for loading threads, whose end would abort the process', async () => {
    const { mock: events } = jest.spyOn(Worker.prototype, 'emit');
    const { mock: ended } = jest.spyOn(Worker.prototype, 'terminate');
    try {
      const other = await PartnerChain.open(makeOptions(), { threads: 2 });
      await other.close();
      const wasLoaded = ended.contexts.map((thread, i) => {
        const first = events.calls.findIndex(([event], k) => event === 'message' && events.contexts[k] === thread);
        return events.invocationCallOrder[first]! < ended.invocationCallOrder[i]!;
      });
      expect(wasLoaded).toEqual([true, true]);
    } finally {
      jest.restoreAllMocks();
    }
  });
});
