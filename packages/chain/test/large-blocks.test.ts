import { setTimeout } from 'node:timers/promises';
import { startAnvil, type Anvil } from '@causeway/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { numberToHex, type Address } from 'viem';
import { connectChain, type ChainConnection, type NumberedEvents } from '../src/index.js';
import { placeCountingContract, ReaderUnderTest } from './counting-contract.js';
import { withLyingNode } from './lying-node.js';

// A connection accepts 10 MiB in one response. Behind a provider's proxy, more may also cut the connection.

const RESPONSE_LIMIT = 10 * 1024 * 1024;
/** Logs 100,000 bytes. */
const LOGGER: Address = '0x00000000000000000000000000000000000000d0';
const wallet: Address = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const sender: Address = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

let anvil: Anvil;
let numbered: NumberedEvents & { readonly emit: () => Promise<void> };

beforeAll(async () => {
  anvil = await startAnvil({ manualMining: true, args: ['--gas-limit', '200000000'] });
  numbered = await placeCountingContract(anvil);
  await anvil.test.setCode({ address: LOGGER, bytecode: '0x620186a05fa000' });
});
afterAll(async () => anvil?.stop());

async function readerAt(nextBlock: bigint, connection: ChainConnection): Promise<ReaderUnderTest> {
  const watch = { contracts: [numbered.contract], topics: [numbered.topic], receivers: [wallet] };
  return new ReaderUnderTest({ nodes: connection, numbered, watch }, nextBlock);
}

function connect(url: string): ChainConnection {
  return connectChain({ name: 'test', chainId: 31_337, urls: [url], quorum: 1, confirmations: 12, timeoutMs: 60_000 });
}

/** Sends many transactions in one request, signed by the node. */
async function send(transactions: readonly object[]): Promise<void> {
  const nonce = await anvil.client.getTransactionCount({ address: sender, blockTag: 'pending' });
  const body = transactions.map((one, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'eth_sendTransaction',
    params: [{ from: sender, nonce: numberToHex(nonce + id), ...one }],
  }));
  const answer = await fetch(anvil.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  for (const { error } of (await answer.json()) as { error?: unknown }[]) expect(error).toBeUndefined();
}

/** Reads up to the head with repeated attempts. The relayer makes one a second. */
async function catchUpInTheEnd(reader: ReaderUnderTest): Promise<void> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    try {
      return await reader.catchUp();
    } catch {
      await setTimeout(100);
    }
  }
  throw new Error('The reader does not reach the head');
}

/** Measures the size of the answer to one request in bytes. */
async function measureSize(method: string, params: readonly unknown[]): Promise<number> {
  return JSON.stringify(await anvil.request(method, params)).length;
}

describe('blocks of 200 transactions', () => {
  it('are read up to the head although 20 of them exceed the size limit of a response', async () => {
    const first = (await anvil.client.getBlockNumber()) + 1n;
    const input = `0x${'ab'.repeat(2_000)}`;
    for (let block = 0; block < 30; block += 1) {
      await send(Array.from({ length: 199 }, () => ({ to: LOGGER.replace('d0', 'd1'), input, gas: '0x1d4c0' })));
      await send([{ to: wallet, value: numberToHex(block + 1), gas: '0x5208' }]);
      await anvil.test.mine({ blocks: 1 });
    }
    expect(20 * (await measureSize('eth_getBlockByNumber', [numberToHex(first), true]))).toBeGreaterThan(
      RESPONSE_LIMIT,
    );
    const connection = connect(anvil.url);
    try {
      const reader = await readerAt(first, connection);
      await reader.catchUp();
      expect(reader.paid).toEqual(Array.from({ length: 30 }, (_, index) => BigInt(index) + 1n));
      expect(reader.steps.length).toBeLessThan(12);
    } finally {
      connection.close();
    }
    // Sends 6,000 transactions, on a machine that may be busy.
  }, 240_000);
});

describe('a block with 11 MB of receipts', () => {
  let first: bigint;
  beforeAll(async () => {
    first = (await anvil.client.getBlockNumber()) + 1n;
    await send(Array.from({ length: 58 }, () => ({ to: LOGGER, gas: numberToHex(1_000_000) })));
    await numbered.emit();
    await send([{ to: wallet, value: '0x7', gas: '0x5208' }]);
    await anvil.test.mine({ blocks: 3 });
  });

  it('is read one receipt at a time', async () => {
    expect(await measureSize('eth_getBlockReceipts', [numberToHex(first)])).toBeGreaterThan(11_000_000);
    const connection = connect(anvil.url);
    try {
      const reader = await readerAt(first, connection);
      await reader.catchUp();
      expect([reader.numbers, reader.paid]).toEqual([[0n], [7n]]);
    } finally {
      connection.close();
    }
  });

  it('is read through a proxy that cuts connections, after a few attempts', async () => {
    let cut = 0;
    const cutting = async (method: string, result: unknown) => {
      if (method !== 'eth_getBlockReceipts') return result as never;
      cut += 1;
      throw new Error('The connection is cut');
    };
    await withLyingNode(anvil.url, cutting, async (url) => {
      const connection = connect(url);
      try {
        const reader = await readerAt(first, connection);
        await catchUpInTheEnd(reader);
        expect([reader.numbers, reader.paid]).toEqual([[0n], [7n]]);
        expect(cut).toBeGreaterThan(0);
      } finally {
        connection.close();
      }
    });
  });
});

describe('a block that the node does not serve in one answer', () => {
  it('is read one transaction at a time', async () => {
    const first = (await anvil.client.getBlockNumber()) + 1n;
    await send([{ to: wallet, value: '0x9', gas: '0x5208' }]);
    await anvil.test.mine({ blocks: 2 });
    const asked: string[] = [];
    const refusing = async (method: string, result: unknown, [, isFull]: readonly unknown[]) => {
      asked.push(method);
      if (method === 'eth_getBlockByNumber' && isFull === true) throw new Error('The connection is cut');
      return result as never;
    };
    await withLyingNode(anvil.url, refusing, async (url) => {
      const connection = connect(url);
      try {
        const reader = await readerAt(first, connection);
        await catchUpInTheEnd(reader);
        expect(reader.paid).toEqual([9n]);
        expect(asked).toContain('eth_getTransactionByHash');
      } finally {
        connection.close();
      }
    });
  });
});
